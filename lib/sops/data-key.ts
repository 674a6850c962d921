import { describeKey, type MasterKey, type MasterKeyType } from './master-key.ts'
import type { Metadata } from './metadata.ts'
import { combineShares } from './shamir.ts'
import { SopsError } from './sops-error.ts'

/**
 * Opens what a kind of master key has encrypted. Fails with an error whose message says why, and holds no secret; types
 * that are not there can't be opened.
 */
export type KeyServices = {
  readonly [T in MasterKeyType]?: (key: Extract<MasterKey, { type: T }>, signal?: AbortSignal) => Promise<Uint8Array>
}

const dataKeyBytes = 32

/**
 * The data key: from any key of the only group, or from the shares of as many groups as the threshold says. Fails with
 * SopsError `data-key`, which names every key that was tried and what came of it.
 */
export const recoverDataKey = async (
  { keyGroups, shamirThreshold }: Pick<Metadata, 'keyGroups' | 'shamirThreshold'>,
  services: KeyServices,
  signal?: AbortSignal,
): Promise<Uint8Array> => {
  const needed = keyGroups.length > 1 ? shamirThreshold || keyGroups.length : 1
  const results: GroupResult[] = []
  const parts: Uint8Array[] = []
  for (const group of keyGroups) {
    const result = await openGroup(group, services, signal)
    results.push(result)
    if (result.part) parts.push(result.part)
  }
  if (parts.length < needed) throw notRecovered(keyGroups, results)
  const dataKey = keyGroups.length > 1 ? combineShares(parts) : parts[0]!
  if (dataKey.length === dataKeyBytes) return dataKey
  throw new SopsError('data-key', `the data key has ${dataKey.length} bytes, not ${dataKeyBytes}`)
}

interface GroupResult {
  readonly part?: Uint8Array
  /** Why each key did not open, in the group's order. */
  readonly problems: readonly string[]
}

const openGroup = async (
  group: readonly MasterKey[],
  services: KeyServices,
  signal?: AbortSignal,
): Promise<GroupResult> => {
  const problems: string[] = []
  for (const key of group) {
    try {
      return { part: await openWith(services, key, signal), problems }
    } catch (error) {
      signal?.throwIfAborted()
      problems.push((error as Error).message)
    }
  }
  return { problems }
}

const openWith = (services: KeyServices, key: MasterKey, signal?: AbortSignal): Promise<Uint8Array> => {
  const open = services[key.type] as ((key: MasterKey, signal?: AbortSignal) => Promise<Uint8Array>) | undefined
  if (open) return open(key, signal)
  throw new Error(`no ${keyTypeNames[key.type]} is configured`)
}

const keyTypeNames: Readonly<Record<MasterKeyType, string>> = {
  age: 'age identity',
  pgp: 'OpenPGP key',
  kms: 'access to AWS KMS',
  gcp_kms: 'access to GCP KMS',
  azure_kv: 'access to Azure Key Vault',
  hc_vault: 'access to Vault',
  hckms: 'access to Huawei Cloud KMS',
}

const maxProblems = 10

const notRecovered = (groups: Metadata['keyGroups'], results: readonly GroupResult[]): SopsError => {
  const lines = results.flatMap(({ problems, part }, i) =>
    part ? [] : problems.map((problem, j) => `${label(groups, i)}${describeKey(groups[i]![j]!)}: ${problem}`),
  )
  const more = lines.length > maxProblems ? [`and ${lines.length - maxProblems} more`] : []
  const tried = [...lines.slice(0, maxProblems), ...more].join('; ')
  return new SopsError('data-key', `Error getting data key: no master key was able to decrypt the file: ${tried}`)
}

const label = (groups: Metadata['keyGroups'], index: number): string => (groups.length > 1 ? `group ${index}: ` : '')
