import { createHash } from 'node:crypto'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { parseYaml } from '../yaml/parse.ts'
import {
  checksum,
  checksumFrom,
  checksumSourcesOf,
  copySourceOf,
  type DataSource,
  type KubeConfigSource,
  kubeConfigSourceOf,
  sourceName,
} from './data-source.ts'

/** Reads a source; fails with the API server's error if it is not found. */
export type ReadSource = (source: DataSource) => Promise<KubernetesObject>

export interface Filled {
  readonly objects: readonly KubernetesObject[]
  /** All sources that were read, without repetition. */
  readonly sources: readonly DataSource[]
}

/**
 * Fills in the data that the objects' annotations refer to: copies, addresses from kubeconfigs, checksums. Errors name the annotation, or
 * the source that could not be read.
 */
export const fillData = async (objects: readonly KubernetesObject[], read: ReadSource): Promise<Filled> => {
  const known = new Map<string, { readonly source: DataSource; readonly object: Promise<KubernetesObject> }>()
  const readOnce: ReadSource = source => {
    const key = sourceName(source)
    let entry = known.get(key)
    if (!entry) {
      entry = { source: { kind: source.kind, namespace: source.namespace, name: source.name }, object: read(source) }
      known.set(key, entry)
    }
    return entry.object
  }
  const copied = await Promise.all(objects.map(object => withData(object, readOnce)))
  const ours = new Map(copied.map(object => [nameOf(object), object]))
  const sumUp = async (value: string): Promise<string> => {
    const parts = checksumSourcesOf(value).map(async source => {
      const name = sourceName(source)
      const object =
        ours.get(name) ?? (await withContext(`failed to compute checksum of ${name}`, () => readOnce(source)))
      return [name, dataOf(object)] as const
    })
    return digestOf(await Promise.all(parts))
  }
  const filled = await Promise.all(copied.map(object => withChecksums(object as unknown as JsonObject, sumUp)))
  return {
    objects: filled as unknown as readonly KubernetesObject[],
    sources: [...known.values()].map(({ source }) => source),
  }
}

const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`

const withData = async (object: KubernetesObject, read: ReadSource): Promise<KubernetesObject> => {
  const from = copySourceOf(object)
  const copied = from
    ? copyOf(object, await withContext(`failed to copy data from ${sourceName(from)}`, () => read(from)))
    : object
  const kubeConfig = kubeConfigSourceOf(object)
  return kubeConfig ? withCluster(copied, kubeConfig, read) : copied
}

const withContext = async <R>(action: string, work: () => Promise<R>): Promise<R> => {
  try {
    return await work()
  } catch (error) {
    throw new Error(`${action}: ${(error as Error).message}`, { cause: error })
  }
}

/** Copies the data, and the type of a Secret, but never labels or annotations (RS-057 to RS-059). */
const copyOf = (object: KubernetesObject, source: KubernetesObject): KubernetesObject => {
  const { data: _, binaryData: __, stringData: ___, ...rest } = object
  const { data, binaryData, type } = source
  return {
    ...(rest as unknown as KubernetesObject),
    ...(data !== undefined && { data }),
    ...(binaryData !== undefined && { binaryData }),
    ...(type !== undefined && { type }),
  }
}

/** Adds the address and certificate authority of the kubeconfig's first cluster to the ConfigMap, unless it sets them itself (RS-065). */
const withCluster = (object: KubernetesObject, from: KubeConfigSource, read: ReadSource): Promise<KubernetesObject> =>
  withContext(`failed to convert kubeconfig from ${sourceName(from)}`, async () => {
    const { data = {} } = (await read(from)) as { readonly data?: Readonly<Record<string, string>> }
    const key = from.keys.find(each => Object.hasOwn(data, each))
    if (key === undefined) throw new Error(`key '${from.keys.join("' or '")}' not found`)
    const { server, authority } = firstClusterOf(decode(data[key]!))
    const found = { address: server, ...(authority !== undefined && { 'ca.crt': authority }) }
    return { ...object, data: { ...found, ...(object.data as object | undefined) } }
  })

/** A Secret with nothing but the address and the authority of the first cluster of each of these kubeconfigs: all that `convertKubeConfigFrom` needs. */
export const withAddressesOnly = (secret: KubernetesObject, keys: readonly string[]): KubernetesObject => {
  const { data = {} } = secret as { readonly data?: Readonly<Record<string, string>> }
  const found = keys.filter(key => Object.hasOwn(data, key))
  const reduced = found.map(key => [key, encode(addressIn(decode(data[key]!)))] as const)
  return { ...secret, data: Object.fromEntries(reduced) }
}

/** As a kubeconfig; empty if it can't be read. */
const addressIn = (text: string): string => {
  try {
    const { server, authority } = firstClusterOf(text)
    const cluster = { server, ...(authority !== undefined && { 'certificate-authority-data': encode(authority) }) }
    return JSON.stringify({ clusters: [{ cluster }] })
  } catch {
    return '{}'
  }
}

const firstClusterOf = (text: string): { readonly server: string; readonly authority?: string } => {
  const [config] = parsed(text)
  const entry = isObject(config) && Array.isArray(config.clusters) ? config.clusters[0] : undefined
  const cluster = isObject(entry) && isObject(entry.cluster) ? entry.cluster : {}
  const { server, 'certificate-authority-data': authority } = cluster
  if (typeof server !== 'string' || server === '') throw new Error('the kubeconfig names no cluster with a server')
  return { server, ...(typeof authority === 'string' && { authority: decode(authority) }) }
}

/** A kubeconfig holds secrets: the error quotes nothing from it. */
const parsed = (text: string): readonly JsonValue[] => {
  try {
    return parseYaml(text)
  } catch {
    throw new Error('the kubeconfig is not valid YAML')
  }
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString()
const encode = (text: string): string => Buffer.from(text).toString('base64')

/** The data of a ConfigMap or Secret as bytes, by key. */
const dataOf = (object: KubernetesObject): readonly (readonly [key: string, value: Buffer])[] => {
  const {
    data = {},
    binaryData = {},
    stringData = {},
  } = object as Readonly<Record<string, Readonly<Record<string, string>>>>
  const coding = object.kind === 'Secret' ? 'base64' : undefined
  const entries = new Map([
    ...Object.entries(data).map(([key, value]) => [key, Buffer.from(value, coding)] as const),
    ...Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value, 'base64')] as const),
    ...Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value)] as const),
  ])
  return [...entries.keys()].sort().map(key => [key, entries.get(key)!])
}

/**
 * Digests each source's name, then its sorted keys with their values, with a zero byte after each: flux-operator 0.58 computes the
 * checksum of a ConfigMap in this way (recorded), so that no workload restarts when a ResourceSet moves here.
 */
const digestOf = (parts: readonly (readonly [name: string, data: ReturnType<typeof dataOf>])[]): string => {
  const hash = createHash('sha256')
  for (const [name, data] of parts) {
    hash.update(`${name}\0`)
    for (const [key, value] of data) hash.update(`${key}\0`).update(value).update('\0')
  }
  return `sha256:${hash.digest('hex')}`
}

/** Adds a checksum next to each `checksumFrom` in any `metadata.annotations`, such as those of a pod template (RS-066). */
const withChecksums = async (value: JsonObject, sumUp: (value: string) => Promise<string>): Promise<JsonObject> => {
  const visit = async (node: JsonValue): Promise<JsonValue> => {
    if (Array.isArray(node)) return Promise.all(node.map(visit))
    if (!isObject(node)) return node
    const entries = await Promise.all(
      Object.entries(node).map(async ([key, item]) => [key, await visit(item)] as const),
    )
    const changed = Object.fromEntries(entries) as JsonObject
    const metadata = changed.metadata
    const annotations = isObject(metadata) ? metadata.annotations : undefined
    const from = isObject(annotations) ? annotations[checksumFrom] : undefined
    if (typeof from !== 'string') return changed
    const sum = await sumUp(from)
    const withSum = { ...(annotations as JsonObject), [checksum]: sum }
    return { ...changed, metadata: { ...(metadata as JsonObject), annotations: withSum } }
  }
  return mentions(value, checksumFrom) ? (visit(value) as Promise<JsonObject>) : value
}

/** Whether the name is a key anywhere: most objects need no copy. */
const mentions = (node: JsonValue, name: string): boolean => {
  if (Array.isArray(node)) return node.some(item => mentions(item, name))
  if (!isObject(node)) return false
  return Object.hasOwn(node, name) || Object.values(node).some(item => mentions(item, name))
}
