# /// snippet
# title.zh = "报错：矩阵的形状乘不起来"
# title.en = "Error: matrices that cannot be multiplied"
# topics = ["T34"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch
from torch import nn

features = torch.ones(1, 512)  # what the body of a ResNet-34 hands on
head = nn.Linear(512, 2)
print("a head of the right width:", tuple(head(features).shape))
nn.Linear(2048, 2)(features)  # the width of a ResNet-50
