import { hash } from 'node:crypto'
import { readAgeIdentities } from '../../../engines/sops/keys/age-identities.ts'
import { compareText } from '../../../foundations/go/compare-text.ts'
import type { Secret } from '../../../foundations/kinds/secret.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { AwsCredentials } from '../../../platform/cloud/aws/credentials.ts'
import { type GcpCredentials, parseGcpCredentials } from '../../../platform/cloud/gcp/credentials.ts'
import type { OpenPgp } from '../../../platform/ports/open-pgp.ts'
import { type AzureCredentials, readAzureCredentials } from './azure-credentials.ts'
import { keyFields, textField } from './key-fields.ts'

/** The decryption keys and credentials in a Secret. */
export interface DecryptionKeys {
  /** Age identities as text. */
  readonly age: readonly string[]
  /** Armored OpenPGP keys. */
  readonly pgp: readonly string[]
  readonly aws?: AwsCredentials | undefined
  readonly azure?: AzureCredentials | undefined
  readonly gcp?: GcpCredentials | undefined
  readonly vaultToken?: string | undefined
  /** Over all entries: equal keys decrypt the same. */
  readonly digest: string
}

export const noKeys: DecryptionKeys = { age: [], pgp: [], digest: '' }

type CheckKeys = Pick<OpenPgp, 'checkPrivateKeys'>

/** The keys of a key Secret, see readKeyEntries. */
export const readDecryptionKeys = ({ data, metadata }: Secret, openPgp: CheckKeys): Promise<DecryptionKeys> =>
  readKeyEntries(data ?? {}, `Secret '${metadata.namespace}/${metadata.name}'`, openPgp)

/**
 * Reads the entries of a key Secret, by name and in base64, or those of the same names at another place. Fails in Flux's wording, which names the place and
 * the entry but quotes no content.
 */
export const readKeyEntries = async (
  data: Readonly<Record<string, string>>,
  place: string,
  openPgp: CheckKeys,
): Promise<DecryptionKeys> => {
  const entries = Object.entries(data).sort(([a], [b]) => compareText(a, b))

  const entry = async <T>(name: string, read: (content: Buffer) => T | Promise<T>): Promise<T | undefined> => {
    const content = data[name]
    if (content === undefined) return undefined
    try {
      return await read(Buffer.from(content, 'base64'))
    } catch (error) {
      throw new Error(`failed to import '${name}' data from sops decryption ${place}: ${errorMessage(error)}`, {
        cause: error,
      })
    }
  }
  const entriesEnding = async (suffix: string, read: (content: Buffer) => Promise<string>): Promise<string[]> => {
    const names = entries.map(([name]) => name).filter(name => name.endsWith(suffix))
    const texts = await Promise.all(names.map(name => entry(name, read)))
    return texts.filter(text => text !== undefined)
  }

  return {
    age: await entriesEnding('.agekey', readAge),
    pgp: await entriesEnding('.asc', readOpenPgp(openPgp)),
    aws: await entry('sops.aws-kms', readAwsCredentials),
    azure: await entry('sops.azure-kv', readAzureCredentials),
    gcp: await entry('sops.gcp-kms', content => parseGcpCredentials(content.toString().trim())),
    vaultToken: await entry('sops.vault-token', content => content.toString().trim()),
    digest: hash('sha256', JSON.stringify(entries)),
  }
}

/** Only the age identities, for the hub-wide default Secret (KS-270): it provides no cloud credentials. */
export const readDefaultAgeKeys = async (secret: Secret, openPgp: CheckKeys): Promise<DecryptionKeys> => {
  const data = Object.fromEntries(Object.entries(secret.data ?? {}).filter(([name]) => name.endsWith('.agekey')))
  return readDecryptionKeys({ ...secret, data }, openPgp)
}

const readAge = async (content: Buffer): Promise<string> => {
  const text = content.toString()
  await readAgeIdentities(text).catch(error => {
    throw new Error(`failed to parse and add to age identities: ${errorMessage(error)}`, { cause: error })
  })
  return text
}

const readOpenPgp =
  (openPgp: CheckKeys) =>
  async (content: Buffer): Promise<string> => {
    const text = content.toString()
    await openPgp.checkPrivateKeys(text)
    return text
  }

const readAwsCredentials = (content: Buffer): AwsCredentials => {
  const fields = keyFields(content.toString())
  const accessKeyId = textField(fields, 'aws_access_key_id')
  const secretAccessKey = textField(fields, 'aws_secret_access_key')
  const sessionToken = textField(fields, 'aws_session_token')
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
  throw new Error('aws_access_key_id and aws_secret_access_key are required')
}
