import { type DecryptOptions, decrypt, decryptEncrypted } from '../../../engines/sops/decrypt.ts'
import { encryptedFormatOf, formatOfPath } from '../../../engines/sops/formats/format-of.ts'
import { json } from '../../../engines/sops/formats/json.ts'
import { objectOf, treeOf } from '../../../engines/sops/json-tree.ts'
import { splitMetadata } from '../../../engines/sops/metadata.ts'
import { emitJson } from '../../../engines/yaml/emit-json.ts'
import { isObject, type JsonObject } from '../../../engines/yaml/json-value.ts'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Manifest } from '../build/build-cache.ts'
import { sopsProblem } from './sops-problem.ts'

export type ManifestOptions = Pick<DecryptOptions, 'services' | 'ignoreMac' | 'budget' | 'signal'>

/**
 * Decrypts a built object: the whole object if it is encrypted with sops, otherwise those values of a Secret that are
 * sops documents (KS-246, KS-247, KS-254). The build has changed the encrypted document, so the MAC of a whole object
 * can't be verified. Objects can opt out (KS-253). Fails in Flux's wording, without content, and with BudgetExceeded.
 */
export const decryptManifest = async (manifest: Manifest, options: ManifestOptions): Promise<Manifest> => {
  const { object } = manifest
  if (isDisabled(object)) return manifest
  try {
    const isWhole = isEncryptedObject(object)
    const plain = isWhole ? await decryptObject(object, options) : await decryptData(object, options)
    if (plain === object) return manifest
    const yaml = emitJson(plain as unknown as JsonObject)
    return { ...manifest, object: plain, yaml, ...(isWhole && { isDecrypted: true }) }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof BudgetExceeded) throw error
    throw new Error(`decryption failed for '${describe(object)}': ${(error as Error).message}`, { cause: error })
  }
}

/** Whether a manifest opts out of decryption. */
const isDisabled = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.['kustomize.toolkit.fluxcd.io/decrypt']?.toLowerCase() === 'disabled'

const isEncryptedObject = ({ sops }: KubernetesObject & { readonly sops?: unknown }): boolean =>
  isObject(sops) && Boolean(sops.mac)

const decryptObject = async (object: KubernetesObject, options: ManifestOptions): Promise<KubernetesObject> => {
  try {
    const encrypted = splitMetadata([treeOf(object as unknown as JsonObject)], json)
    const [document] = await decryptEncrypted(encrypted, { ...options, ignoreMac: true })
    return objectOf(document!) as unknown as KubernetesObject
  } catch (error) {
    throw new Error(
      `failed to decrypt and format '${nameOf(object)}' ${object.kind} data: ${sopsProblem(error, 'json')}`,
      {
        cause: error,
      },
    )
  }
}

type WithData = KubernetesObject & { readonly data?: Readonly<Record<string, unknown>> }

const decryptData = async (object: WithData, options: ManifestOptions): Promise<KubernetesObject> => {
  if (object.kind !== 'Secret' || !isObject(object.data)) return object
  const entries = Object.entries<unknown>(object.data)
  const plain = await Promise.all(
    entries.map(async ([key, value]) => [key, await decryptEntry(object, key, value, options)] as const),
  )
  const isChanged = plain.some(([, value], i) => value !== entries[i]![1])
  return isChanged ? ({ ...object, data: Object.fromEntries(plain) } as KubernetesObject) : object
}

const decryptEntry = async (
  object: WithData,
  key: string,
  value: unknown,
  options: ManifestOptions,
): Promise<unknown> => {
  if (typeof value !== 'string') return value
  const content = Buffer.from(value, 'base64')
  const format = encryptedFormatOf(content)
  if (!format) return value
  try {
    const plain = await decrypt(content, { ...options, format, output: formatOfPath(key) })
    return Buffer.from(plain).toString('base64')
  } catch (error) {
    const problem = sopsProblem(error, format)
    throw new Error(`failed to decrypt and format '${nameOf(object)}' Secret field '${key}': ${problem}`, {
      cause: error,
    })
  }
}

const nameOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace ?? ''}/${metadata.name}`

/** In kustomize's format: `Secret.v1.[noGrp]/name`. */
const describe = ({ apiVersion, kind, metadata }: KubernetesObject): string => {
  const [version, group = '[noGrp]'] = apiVersion.split('/').reverse()
  return `${kind}.${version}.${group}/${metadata.name}`
}
