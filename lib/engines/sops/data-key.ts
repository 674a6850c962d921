import { dataKeyReport, type GroupResult } from './data-key-report.ts'
import type { MasterKey, MasterKeyType } from './master-key.ts'
import type { Metadata } from './metadata.ts'
import { combineShares } from './shamir.ts'
import { SopsError } from './sops-error.ts'

/**
 * Decrypts data keys, by type of master key. Fails with an error that gives the reason and contains no secret; types
 * without a service can't be decrypted.
 */
export type KeyServices = {
  readonly [T in MasterKeyType]?: (key: Extract<MasterKey, { type: T }>, signal?: AbortSignal) => Promise<Uint8Array>
}

const dataKeyBytes = 32

/**
 * Recovers the data key: from any key of a single group, or from as many groups' shares as the threshold requires. Fails with SopsError
 * `data-key`, which lists every key that was tried and its result.
 */
export const recoverDataKey = async (
  { keyGroups, shamirThreshold }: Pick<Metadata, 'keyGroups' | 'shamirThreshold'>,
  services: KeyServices,
  signal?: AbortSignal,
): Promise<Uint8Array> => {
  const needed = keyGroups.length > 1 ? shamirThreshold || keyGroups.length : 1
  const results: GroupResult[] = []
  for (const group of keyGroups) results.push(await openGroup(group, services, signal))
  const parts = results.flatMap(({ part }) => part ?? [])
  if (parts.length < needed) throw new SopsError('data-key', dataKeyReport(results, shamirThreshold))
  const dataKey = keyGroups.length > 1 ? combineShares(parts) : parts[0]!
  if (dataKey.length === dataKeyBytes) return dataKey
  throw new SopsError('data-key', `the data key has ${dataKey.length} bytes, not ${dataKeyBytes}`)
}

const openGroup = async (
  group: readonly MasterKey[],
  services: KeyServices,
  signal?: AbortSignal,
): Promise<GroupResult> => {
  const problems: string[] = []
  for (const key of group) {
    try {
      return { group, part: await openWith(services, key, signal), problems }
    } catch (error) {
      signal?.throwIfAborted()
      problems.push((error as Error).message)
    }
  }
  return { group, problems }
}

/** Decrypts a master key's copy of the data key with the service for its type. */
export const openWith = async (services: KeyServices, key: MasterKey, signal?: AbortSignal): Promise<Uint8Array> => {
  const open = services[key.type] as Open | undefined
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

/** Caches results per encrypted key: files of one tree often share them. */
export const remembering = (services: KeyServices): KeyServices =>
  Object.fromEntries(
    Object.entries(services).map(([type, open]) => [type, once(open as (key: MasterKey) => Promise<Uint8Array>)]),
  )

type Open = (key: MasterKey, signal?: AbortSignal) => Promise<Uint8Array>

const once = (open: Open): Open => {
  const known = new Map<string, Promise<Uint8Array>>()
  return (key, signal) => {
    const name = JSON.stringify(key)
    const opened = known.get(name) ?? open(key, signal)
    known.set(name, opened)
    return opened
  }
}
