# /// snippet
# title.zh = "报错：批归一化遇到单个样本"
# title.en = "Error: batch norm of one sample"
# topics = ["T39"]
# devices = ["cpu"]
# timeout = 60
# raises = "ValueError"
# ///
import torch

norm = torch.nn.BatchNorm1d(2)
sizes = [len(batch) for batch in torch.utils.data.DataLoader(list(torch.ones(5, 2)), batch_size=2)]
print("batches of five samples:", sizes)
print("in eval mode:", tuple(norm.eval()(torch.ones(1, 2)).shape))
norm.train()(torch.ones(1, 2))
