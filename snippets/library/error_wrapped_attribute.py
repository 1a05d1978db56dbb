# /// snippet
# title.zh = "报错：包装之后找不到自己的方法"
# title.en = "Error: a method that the wrapper does not have"
# topics = ["T18"]
# devices = ["cpu"]
# timeout = 60
# raises = "AttributeError"
# ///
from torch import nn


class Net(nn.Module):
    """With a method of its own."""

    def features(self):
        return ["edges", "corners"]


wrapped = nn.DataParallel(Net())
print("through .module:", wrapped.module.features())
wrapped.features()
