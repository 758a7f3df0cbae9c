import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Verify {
  private static byte[] sign(byte[] key, byte[]... parts) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    for (byte[] part : parts) mac.update(part);
    return mac.doFinal();
  }

  private static boolean hasSignature(String signatures, String expected) {
    return Arrays.stream(signatures.split(" "))
        .anyMatch(signature -> MessageDigest.isEqual(signature.getBytes(UTF_8), expected.getBytes(UTF_8)));
  }

  /** `body` has the raw bytes; `headers` has lower-case names. */
  static boolean isFromColophon(byte[] body, Map<String, String> headers, String secret)
      throws GeneralSecurityException {
    String expected = HexFormat.of().formatHex(sign(secret.getBytes(UTF_8), body));
    return hasSignature(headers.getOrDefault("x-service-signature-all", ""), expected);
  }

  /** The same with Standard Webhooks, which also rejects callbacks older than five minutes. */
  static boolean isFreshFromColophon(byte[] body, Map<String, String> headers, String secret, Instant now)
      throws GeneralSecurityException {
    String timestamp = headers.getOrDefault("webhook-timestamp", "");
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    Instant sent = Instant.ofEpochSecond(Long.parseLong(timestamp));
    if (Duration.between(sent, now).abs().compareTo(Duration.ofMinutes(5)) > 0) return false;
    byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    byte[] signed = (headers.getOrDefault("webhook-id", "") + "." + timestamp + ".").getBytes(UTF_8);
    String expected = "v1," + Base64.getEncoder().encodeToString(sign(key, signed, body));
    return hasSignature(headers.getOrDefault("webhook-signature", ""), expected);
  }
}
