import { list, object, text } from './schema/schema.ts'

/** A signed in-toto statement, see lib/foundations/rules/dsse.ts. */
export const envelope = (description: string) =>
  object(`${description} A DSSE envelope.`, {
    payloadType: text('Type of the payload: application/vnd.in-toto+json.'),
    payload: text('in-toto statement, in base64.'),
    signatures: list(
      'Signatures of the statement.',
      object('A signature.', {
        keyid: text('Key ID: the first 16 digits of the SHA-256 of the public key in DER.'),
        sig: text('Signature, in base64; ECDSA in DER.'),
      }),
    ),
  })
