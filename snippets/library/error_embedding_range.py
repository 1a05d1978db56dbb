# /// snippet
# title.zh = "报错：嵌入的编号超出范围"
# title.en = "Error: an embedding index out of range"
# topics = ["T06"]
# devices = ["cpu"]
# timeout = 60
# raises = "IndexError"
# ///
import torch

embedding = torch.nn.Embedding(3, 2)
ids = torch.tensor([0, 2, 3])
print("largest number:", ids.max().item(), "rows:", embedding.num_embeddings)
embedding(ids)
