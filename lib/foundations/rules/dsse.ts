/** Dead Simple Signing Envelopes: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md */

/** The payload type of in-toto statements. */
export const inToto = 'application/vnd.in-toto+json'

/** The signed bytes of an envelope: type and payload with their lengths (pre-authentication encoding). */
export const signedBytesOf = ({
  payload,
  payloadType,
}: {
  readonly payload: Uint8Array
  readonly payloadType: string
}): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `), payload])
