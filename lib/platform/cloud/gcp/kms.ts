import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { requestJson, textOr } from '../send-request.ts'
import { googleApis, tokenDestination } from '../token-destination.ts'
import type { GcpIdentity } from './identity.ts'

export interface GcpKmsCiphertext {
  /** projects/P/locations/L/keyRings/R/cryptoKeys/K */
  readonly resourceId: string
  /** Base64. */
  readonly ciphertext: string
  readonly signal?: AbortSignal
}

const resourceName = /^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/

/** Google Cloud KMS decrypt. Fails with CloudError. */
export const gcpKmsDecrypt = async (
  { fetch }: Pick<CloudPorts, 'fetch'>,
  identity: GcpIdentity,
  { resourceId, ciphertext, signal }: GcpKmsCiphertext,
): Promise<Uint8Array> => {
  if (!resourceName.test(resourceId))
    throw new CloudError('GCP', `not the name of a KMS key: ${JSON.stringify(resourceId)}`)
  const destination = tokenDestination(googleApis, new URL(`https://cloudkms.googleapis.com/v1/${resourceId}:decrypt`))
  const { token } = await identity(destination, signal)
  const response = await requestJson(fetch, {
    service: 'GCP',
    what: 'decrypt',
    url: destination.url.href,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ ciphertext }),
    signal,
  })
  const plaintext = textOr(response.plaintext)
  if (plaintext) return Buffer.from(plaintext, 'base64')
  throw new CloudError('GCP', 'decrypt: the response has no plaintext')
}
