# /// snippet
# title.zh = "CUDA_VISIBLE_DEVICES 会重新编号"
# title.en = "CUDA_VISIBLE_DEVICES renumbers the cards"
# topics = ["T46"]
# devices = ["cpu", "cuda"]
# timeout = 120
# ///
import multiprocessing
import os

import torch


def show_cards():
    visible = os.environ["CUDA_VISIBLE_DEVICES"]
    cards = torch.cuda._parse_visible_devices()
    assert torch.cuda.device_count() <= len(cards)
    print(f"{visible!r:9} -> {', '.join(f'cuda:{i} = card {card}' for i, card in enumerate(cards[:4])) or 'no card'}")


if __name__ == "__main__":
    for visible in ["0,3", "3,0", "2", "", "0,-1,2", "1,1"]:
        os.environ["CUDA_VISIBLE_DEVICES"] = visible
        # torch reads the list once, so each list gets a process of its own.
        child = multiprocessing.get_context("spawn").Process(target=show_cards)
        child.start()
        child.join()
        assert child.exitcode == 0
