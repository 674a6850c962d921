import {
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { RecentlyUsed } from '../../../foundations/budget/recently-used.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SecretSource } from '../../ports/secret-source.ts'

export interface SecretsManagerSourceOptions {
  readonly hubName: string
  readonly clock: Pick<Clock, 'now'>
}

/** How long values are cached: rotated secrets become visible after this time, and frequently read ones cost a call per five minutes. */
const keptMs = 5 * 60_000
const maxKept = 1000
/** The key of a value that is not a JSON object of strings; kubeconfigs are read from there. */
const onlyKey = 'value'

interface Kept {
  readonly values: Promise<ReadonlyMap<string, Uint8Array>>
  readonly until: number
}

/** AWS Secrets Manager: a namespace may read secrets below `keelson/<hub>/<namespace>/`. */
export const secretsManagerSource = (
  client: SecretsManagerClient,
  { hubName, clock }: SecretsManagerSourceOptions,
): SecretSource => {
  const kept = new RecentlyUsed<Kept>(maxKept)

  const fetch = async (id: string): Promise<ReadonlyMap<string, Uint8Array>> => {
    try {
      return valuesIn(await client.send(new GetSecretValueCommand({ SecretId: id })))
    } catch (error) {
      const why =
        error instanceof ResourceNotFoundException
          ? 'not found: create it, as a JSON object of strings or as one value'
          : (error as Error).message
      throw new Error(`the secret ${id} of AWS Secrets Manager can't be read: ${why}`, { cause: error })
    }
  }

  return {
    read: async (namespace, name) => {
      if (!/^[A-Za-z0-9_+=.@-]+(\/[A-Za-z0-9_+=.@-]+)*$/.test(name) || name.split('/').includes('..'))
        throw new Error(`${JSON.stringify(name)} is not a valid name for a secret of AWS Secrets Manager`)
      const id = `keelson/${hubName}/${namespace}/${name}`
      const known = kept.peek(id)
      if (known && known.until > clock.now()) return known.values
      const values = fetch(id)
      kept.set(id, { values, until: clock.now() + keptMs })
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

/** Undefined unless the text is a JSON object whose values are all strings. */
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
