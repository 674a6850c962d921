import {
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import type { Clock } from '../../ports/clock.ts'
import type { SecretSource } from '../../ports/secret-source.ts'

export interface SecretsManagerSourceOptions {
  readonly hubName: string
  readonly clock: Pick<Clock, 'now'>
}

/** A rotated secret is seen after this time; what is read every interval costs a call each five minutes. */
const keptMs = 5 * 60_000
const mostKept = 1000
/** The key of a value that is not a JSON object of texts; where a kubeconfig is looked for. */
const onlyKey = 'value'

interface Kept {
  readonly values: Promise<ReadonlyMap<string, Uint8Array>>
  readonly until: number
}

/** AWS Secrets Manager: what a namespace may read lies below `keelson/<hub>/<namespace>/`. */
export const secretsManagerSource = (
  client: SecretsManagerClient,
  { hubName, clock }: SecretsManagerSourceOptions,
): SecretSource => {
  const kept = new Map<string, Kept>()

  const fetch = async (id: string): Promise<ReadonlyMap<string, Uint8Array>> => {
    try {
      return valuesIn(await client.send(new GetSecretValueCommand({ SecretId: id })))
    } catch (error) {
      const why =
        error instanceof ResourceNotFoundException
          ? 'it does not exist: create it, as a JSON object of texts or as one value'
          : (error as Error).message
      throw new Error(`the secret ${id} of AWS Secrets Manager can't be read: ${why}`, { cause: error })
    }
  }

  return {
    read: async (namespace, name) => {
      if (!/^[A-Za-z0-9_+=.@-]+(\/[A-Za-z0-9_+=.@-]+)*$/.test(name) || name.split('/').includes('..'))
        throw new Error(`${JSON.stringify(name)} is not a name for a secret of AWS Secrets Manager`)
      const id = `keelson/${hubName}/${namespace}/${name}`
      const known = kept.get(id)
      if (known && known.until > clock.now()) return known.values
      const values = fetch(id)
      kept.delete(id)
      kept.set(id, { values, until: clock.now() + keptMs })
      if (kept.size > mostKept) kept.delete(kept.keys().next().value!)
      values.catch(() => kept.delete(id))
      return values
    },
  }
}

const valuesIn = ({ SecretString, SecretBinary }: GetSecretValueCommandOutput): ReadonlyMap<string, Uint8Array> => {
  if (SecretString === undefined) return new Map([[onlyKey, SecretBinary ?? new Uint8Array()]])
  const texts = textsIn(SecretString)
  return new Map((texts ?? [[onlyKey, SecretString]]).map(([key, value]) => [key, Buffer.from(value)]))
}

/** Undefined for anything but a JSON object whose values are all text. */
const textsIn = (value: string): [string, string][] | undefined => {
  try {
    const parsed: unknown = JSON.parse(value)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
    const entries = Object.entries(parsed)
    return entries.every(([, text]) => typeof text === 'string') ? (entries as [string, string][]) : undefined
  } catch {
    return undefined
  }
}
