import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** The calls of a test. With a library for JSON and JUnit, each check becomes a test method. */
class Gate {
  static final String URL = System.getenv("TICKETSCAN_TEST_URL");
  static final String TOKEN = System.getenv("TICKETSCAN_TEST_CONTROLS_TOKEN");
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  static String post(String path, String header, String value, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(URL + path)).header("content-type", "application/json")
        .header(header, value).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return CLIENT.send(request, BodyHandlers.ofString()).body();
  }

  static String first(String text, String name) {
    return text.replaceFirst("(?s).*?\"" + name + "\":\\[?\"([^\"]+)\".*", "$1");
  }

  static void check(String what, boolean holds) {
    if (!holds) throw new AssertionError(what);
    System.out.println("ok " + what);
  }

  public static void main(String[] arguments) throws Exception {
    if (URL == null || TOKEN == null) {
      System.err.println("Set TICKETSCAN_TEST_URL and TICKETSCAN_TEST_CONTROLS_TOKEN to those of the container.");
      System.exit(2);
    }
    var sample = post("/_test/reset", "x-test-token", TOKEN, "{\"seed\":\"all-states\"}");
    var single = "{\"ticketCode\":\"" + first(sample, "single") + "\"}";
    var windowed = "{\"ticketCode\":\"" + first(sample, "windowed") + "\"}";
    var key = first(sample, "rest");
    check("admitted", post("/scan/consume", "x-api-key", key, single).contains("\"valid\":true"));
    check("only once", post("/scan/consume", "x-api-key", key, single).contains("\"valid\":false"));
    post("/_test/clock", "x-test-token", TOKEN, "{\"advance\":\"366d\"}");
    check("expired", post("/scan/consume", "x-api-key", key, windowed).contains("\"expired\""));
  }
}
