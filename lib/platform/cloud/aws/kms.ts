import { CloudError } from '../cloud-error.ts'
import type { CloudPorts, Environment } from '../cloud-ports.ts'
import { textOr } from '../send-request.ts'
import { assumeRole } from './assume-role.ts'
import type { AwsIdentity } from './credentials.ts'
import { awsJsonCall } from './json-call.ts'
import { endpointOf, isRegion } from './regions.ts'
import { decryptSessionPolicy } from './session-policies.ts'

export interface KmsCiphertext {
  /** Of a key or an alias; contains the region. */
  readonly arn: string
  /** Base64. */
  readonly ciphertext: string
  readonly context?: Readonly<Record<string, string>>
  /** ARN of a role to assume. */
  readonly role?: string
  readonly signal?: AbortSignal
}

/** AWS KMS Decrypt. Fails with CloudError. */
export const kmsDecrypt = async (
  ports: CloudPorts & { readonly environment?: Environment },
  identity: AwsIdentity,
  { arn, ciphertext, context = {}, role, signal }: KmsCiphertext,
): Promise<Uint8Array> => {
  const region = regionOf(arn)
  const { environment } = ports
  const own = await identity(signal)
  const credentials = role
    ? await assumeRole(ports, {
        endpoint: endpointOf('sts', region, environment),
        region,
        roleArn: role,
        sessionName: 'sops@keelson',
        policy: decryptSessionPolicy(arn),
        credentials: own,
      })
    : own
  const response = await awsJsonCall(ports, {
    endpoint: endpointOf('kms', region, environment),
    service: 'kms',
    region,
    target: 'TrentService.Decrypt',
    body: {
      KeyId: arn,
      CiphertextBlob: ciphertext,
      ...(Object.keys(context).length > 0 && { EncryptionContext: context }),
    },
    credentials,
    signal,
  })
  const plaintext = textOr(response.Plaintext)
  if (plaintext) return Buffer.from(plaintext, 'base64')
  throw new CloudError('AWS', 'Decrypt: the response has no plaintext')
}

const regionOf = (arn: string): string => {
  const [, region = ''] = /^arn:aws[\w-]*:kms:([^:]+):[0-9]+:(?:key|alias)\/.+$/.exec(arn) ?? []
  if (isRegion(region)) return region
  throw new CloudError('AWS', `not a valid ARN of a KMS key: ${JSON.stringify(arn)}`)
}
