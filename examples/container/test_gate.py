import json
import os
import unittest
from urllib.request import Request, urlopen

URL = os.environ.get("TICKETSCAN_TEST_URL")
TOKEN = os.environ.get("TICKETSCAN_TEST_CONTROLS_TOKEN")
if not URL or not TOKEN:
    raise SystemExit("Set TICKETSCAN_TEST_URL and TICKETSCAN_TEST_CONTROLS_TOKEN to those of the container.")
CONTROL = {"x-test-token": TOKEN}


def post(path, body, headers):
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json", **headers}
    with urlopen(Request(URL + path, data, headers, method="POST")) as answer:
        text = answer.read()
        return json.loads(text) if text else None


class Gate(unittest.TestCase):
    def setUp(self):
        self.sample = post("/_test/reset", {"seed": "all-states"}, CONTROL)["sample"]

    def consume(self, state):
        body = {"ticketCode": self.sample["tickets"][state][0]}
        return post("/scan/consume", body, {"x-api-key": self.sample["keys"]["rest"]})

    def test_single_ticket_is_admitted_once(self):
        self.assertTrue(self.consume("single")["valid"])
        self.assertFalse(self.consume("single")["valid"])

    def test_ticket_ends_with_its_window(self):
        post("/_test/clock", {"advance": "366d"}, CONTROL)
        self.assertEqual(self.consume("windowed")["reason"], "expired")


if __name__ == "__main__":
    unittest.main()
