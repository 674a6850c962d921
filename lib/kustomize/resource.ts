import { emitJson } from '../yaml/emit-json.ts'
import { emitNode } from '../yaml/emit-node.ts'
import { goSyntax } from '../yaml/go-syntax.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { cloneNode, field, isMissing, stringNode, type YamlNode } from '../yaml/node.ts'
import { parseNodes } from '../yaml/parse.ts'
import { toJson } from '../yaml/to-json.ts'
import { unsupportedPath } from '../yaml/unsupported-path.ts'
import { UnsupportedData } from '../yaml/yaml-error.ts'
import { KustomizeError } from './kustomize-error.ts'
import { clearFieldOf, createPath, setFieldOf } from './node-path.ts'
import { effectiveNamespace, type Gvk, parseGroupVersion, type ResourceId } from './resource-id.ts'
import type { Schema } from './schema/schema.ts'

/** An identity the resource had before a transformer changed it. */
export interface PreviousId {
  readonly name: string
  readonly namespace: string
  readonly kind: string
}

export type GeneratorBehavior = 'create' | 'merge' | 'replace' | ''

/** Where a resource was read, or which kustomization generated it. */
export interface ResourceOrigin {
  /** The file with the resource, or with the generator that made it. */
  readonly file: string
  /** The directory of the outermost kustomization that changed it so far. */
  readonly overlay: string
}

/** A Kubernetes object on its way through a build, and what the build must remember of it. */
export class Resource {
  /** undefined once a patch deleted the object. */
  node: YamlNode | undefined
  readonly schema: Schema
  origin: ResourceOrigin
  previous: PreviousId[] = []
  prefixes: string[] = []
  suffixes: string[] = []
  /** Names of vars that take their value from this resource. */
  varNames: string[] = []
  behavior: GeneratorBehavior = ''
  needsHash = false
  /** Rendered by a helm chart: its namespace was chosen there. */
  fromHelm = false

  constructor(node: YamlNode | undefined, schema: Schema, origin: ResourceOrigin) {
    this.node = node
    this.schema = schema
    this.origin = origin
  }

  get kind(): string {
    return field(this.node, 'kind')?.value ?? ''
  }

  get apiVersion(): string {
    return field(this.node, 'apiVersion')?.value ?? ''
  }

  get name(): string {
    return this.metadataText('name')
  }

  get namespace(): string {
    return this.metadataText('namespace')
  }

  private metadataText(key: string): string {
    const value = field(field(this.node, 'metadata'), key)
    return isMissing(value) ? '' : value.value
  }

  get gvk(): Gvk {
    return { ...parseGroupVersion(this.apiVersion), kind: this.kind }
  }

  currentId(): ResourceId {
    const { apiVersion, kind } = this
    return {
      ...parseGroupVersion(apiVersion),
      kind,
      name: this.name,
      namespace: this.namespace,
      clusterScoped: this.schema.isClusterScoped(apiVersion, kind),
    }
  }

  previousIds(): ResourceId[] {
    const version = parseGroupVersion(this.apiVersion)
    return this.previous.map(id => ({ ...version, ...id, clusterScoped: false }))
  }

  originalId(): ResourceId {
    const first = this.previous[0]
    return first ? { ...parseGroupVersion(this.apiVersion), ...first, clusterScoped: false } : this.currentId()
  }

  /** Remembers the identity before it changes. */
  storePreviousId(): void {
    const id = this.currentId()
    this.previous.push({ name: id.name, namespace: effectiveNamespace(id), kind: id.kind })
  }

  labels(): Map<string, string> {
    return this.metadataMap('labels')
  }

  annotations(): Map<string, string> {
    return this.metadataMap('annotations')
  }

  private metadataMap(key: string): Map<string, string> {
    const entries = new Map<string, string>()
    const map = field(field(this.node, 'metadata'), key)
    if (map?.kind !== 'map') return entries
    for (let i = 0; i < map.content.length; i += 2) entries.set(map.content[i]!.value, map.content[i + 1]!.value)
    return entries
  }

  setLabels(labels: ReadonlyMap<string, string>): void {
    this.setMetadataMap('labels', labels)
  }

  setAnnotations(annotations: ReadonlyMap<string, string>): void {
    this.setMetadataMap('annotations', annotations)
  }

  /** Rewrites a map of strings: sorted, every value a string, left out when empty. */
  private setMetadataMap(key: string, entries: ReadonlyMap<string, string>): void {
    const metadata = createPath(this.node!, ['metadata'], 'map')!
    clearFieldOf(metadata, key)
    if (entries.size === 0) return
    const map = createPath(metadata, [key], 'map')!
    for (const name of [...entries.keys()].sort()) setFieldOf(map, name, stringNode(entries.get(name)!))
  }

  setName(name: string): void {
    setFieldOf(createPath(this.node!, ['metadata'], 'map')!, 'name', stringLike(name))
  }

  setNamespace(namespace: string): void {
    if (namespace === '') {
      const metadata = field(this.node, 'metadata')
      if (metadata) clearFieldOf(metadata, 'namespace')
    } else setFieldOf(createPath(this.node!, ['metadata'], 'map')!, 'namespace', stringLike(namespace))
  }

  setKind(kind: string): void {
    setFieldOf(this.node!, 'kind', stringLike(kind))
  }

  setApiVersion(apiVersion: string): void {
    setFieldOf(this.node!, 'apiVersion', stringLike(apiVersion))
  }

  /** An independent copy. */
  clone(): Resource {
    return this.copyWith(cloneNode(this.node!), this.schema)
  }

  /** The same with another object, for a build with that schema. */
  copyWith(node: YamlNode | undefined, schema: Schema): Resource {
    const copy = new Resource(node, schema, this.origin)
    copy.adoptHistory(this)
    copy.varNames = [...this.varNames]
    return copy
  }

  /** Takes over what the build remembers of another resource. */
  adoptHistory(other: Resource): void {
    this.previous = [...other.previous]
    this.prefixes = [...other.prefixes]
    this.suffixes = [...other.suffixes]
    this.behavior = other.behavior
    this.needsHash = other.needsHash
    this.fromHelm = other.fromHelm
  }

  /** The object as plain data. */
  toJson(): JsonObject {
    try {
      return toJson(this.node!, { schema: 'kyaml' }) as JsonObject
    } catch (error) {
      const { file } = this.origin
      if (error instanceof UnsupportedData) {
        const field = unsupportedPath(error.data)
        throw new KustomizeError(`${goSyntax(this.showable(error.data))}: ${error.message}`, { file, field }, error)
      }
      const problem = this.problemAsPrinted(error)
      const field = /mapping key "(.+)" already defined/.exec(problem)?.[1]
      throw new KustomizeError(`map[string]interface {}(nil): ${problem}`, { file, field }, error)
    }
  }

  /** kustomize prints the whole object; of a Secret, what it holds is nobody's business. */
  private showable(data: JsonValue): JsonValue {
    if (this.kind !== 'Secret' || !isObject(data)) return data
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, /data$/i.test(key) ? '**' : value]))
  }

  /** kustomize prints an object before it reads it as data: lines count in that text. */
  private problemAsPrinted(error: unknown): string {
    try {
      toJson(parseNodes(emitNode(this.node!))[0]!, { schema: 'kyaml' })
    } catch (again) {
      return (again as Error).message
    }
    return error instanceof Error ? error.message : String(error)
  }

  toYaml(): string {
    return emitJson(this.toJson())
  }
}

/** A scalar without a tag: its text decides what it is, as kustomize leaves it for names. */
const stringLike = (value: string): YamlNode => {
  const node = stringNode(value)
  node.tag = ''
  return node
}
