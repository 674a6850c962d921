import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject } from '../yaml/json-value.ts'
import { marshalJson } from '../yaml/marshal-json.ts'
import { cloneNode, field, isMissing, scalarNode, stringNode, type YamlNode } from '../yaml/node.ts'
import { noDataError } from './no-data-error.ts'
import { clearFieldOf, createPath, setFieldOf } from './node-path.ts'
import {
  type Derivation,
  type GeneratorBehavior,
  type History,
  identityOf,
  NO_HISTORY,
  ObjectSnapshot,
  type PreviousId,
} from './object-snapshot.ts'
import { requireReadable } from './previous-ids.ts'
import { effectiveNamespace, type Gvk, idKey, parseGroupVersion, type ResourceId } from './resource-id.ts'
import type { Schema } from './schema/schema.ts'

/** Where a resource was read, or which kustomization generated it. */
export interface ResourceOrigin {
  /** The file with the resource, or with its generator. */
  readonly file: string
  /** The directory of the outermost kustomization that changed it so far. */
  readonly overlay: string
}

/** A change to a resource that depends only on the resource. */
export type ResourceChange = (resource: Resource) => void

/**
 * A Kubernetes object on its way through a build, and its history.
 *
 * In a build with a memory it often equals a snapshot of an earlier build. Then `current` represents it, and the object itself is only
 * created to read it (`view`) or to change it (`node`, after which it no longer equals the snapshot).
 */
export class Resource {
  readonly schema: Schema
  origin: ResourceOrigin
  private history: History = NO_HISTORY
  private own: YamlNode | undefined
  private current: ObjectSnapshot | undefined
  /** The snapshot from which changes were skipped, and these changes: to recreate the object on demand. */
  private skipped: { readonly from: ObjectSnapshot; readonly changes: ResourceChange[] } | undefined

  constructor(node: YamlNode | undefined, schema: Schema, origin: ResourceOrigin) {
    this.own = node
    this.schema = schema
    this.origin = origin
  }

  /** An object at a snapshot whose nodes are kept. */
  static at(known: ObjectSnapshot, schema: Schema, origin: ResourceOrigin): Resource {
    const resource = new Resource(undefined, schema, origin)
    resource.history = known.history
    resource.current = known
    resource.skipped = { from: known, changes: [] }
    return resource
  }

  /** The object, for modification. undefined after a patch deleted it. */
  get node(): YamlNode | undefined {
    this.forgetSnapshot()
    return this.own
  }

  set node(node: YamlNode | undefined) {
    this.own = node
    this.current = undefined
    this.skipped = undefined
  }

  /** The object, read-only. */
  get view(): YamlNode | undefined {
    if (this.own) return this.own
    if (this.current?.node) return this.current.node
    this.own = this.recreated()
    return this.own
  }

  /** It no longer matches a snapshot. */
  private forgetSnapshot(): void {
    this.own ??= this.recreated()
    this.current = undefined
    this.skipped = undefined
  }

  /** The object with all skipped changes applied. */
  private recreated(): YamlNode | undefined {
    if (!this.skipped) return undefined
    const { from, changes } = this.skipped
    const resource = Resource.at(from, this.schema, this.origin)
    resource.own = from.copy()
    resource.current = undefined
    for (const change of changes) change(resource)
    return resource.own
  }

  /** The snapshot that it matches, if any. */
  get snapshot(): ObjectSnapshot | undefined {
    return this.current
  }

  /** Skips a change that is known to lead to a snapshot. */
  skipTo(change: ResourceChange, to: ObjectSnapshot): void {
    this.skipped!.changes.push(change)
    this.own = undefined
    this.current = to
    this.history = to.history
  }

  /** Takes a snapshot of the current state. */
  takeSnapshot(): ObjectSnapshot {
    if (!this.current) {
      this.current = new ObjectSnapshot(this.currentId(), this.apiVersion, this.history)
      this.skipped = undefined
    }
    return this.current
  }

  /** Takes a snapshot that other resources can start from, and hands the object over to it. */
  releaseSnapshot(): ObjectSnapshot {
    const known = this.takeSnapshot()
    known.keep(this.view!)
    this.own = undefined
    this.skipped = { from: known, changes: [] }
    return known
  }

  /** Deleted by a patch. */
  get isEmpty(): boolean {
    return !this.current && !this.own
  }

  /** A value derived from the object, computed once per snapshot. */
  derive<Value>(derivation: Derivation<Value>): Value {
    return this.current ? this.current.derive(derivation, () => this.view!) : derivation(this.view!)
  }

  get previous(): readonly PreviousId[] {
    return this.history.previous
  }

  get prefixes(): readonly string[] {
    return this.history.prefixes
  }

  get suffixes(): readonly string[] {
    return this.history.suffixes
  }

  get varNames(): readonly string[] {
    return this.history.varNames
  }

  get behavior(): GeneratorBehavior {
    return this.history.behavior
  }

  get needsHash(): boolean {
    return this.history.needsHash
  }

  get fromHelm(): boolean {
    return this.history.fromHelm
  }

  remember(change: Partial<History>): void {
    this.forgetSnapshot()
    this.history = { ...this.history, ...change }
  }

  get kind(): string {
    return this.current ? this.current.id.kind : (field(this.own, 'kind')?.value ?? '')
  }

  get apiVersion(): string {
    return this.current ? this.current.apiVersion : (field(this.own, 'apiVersion')?.value ?? '')
  }

  get name(): string {
    return this.current ? this.current.id.name : this.metadataText('name')
  }

  get namespace(): string {
    return this.current ? this.current.id.namespace : this.metadataText('namespace')
  }

  private metadataText(key: string): string {
    const value = field(field(this.own, 'metadata'), key)
    return isMissing(value) ? '' : value.value
  }

  get gvk(): Gvk {
    return { ...parseGroupVersion(this.apiVersion), kind: this.kind }
  }

  currentId(): ResourceId {
    if (this.current) return this.current.id
    const { apiVersion, kind } = this
    return {
      ...parseGroupVersion(apiVersion),
      kind,
      name: this.name,
      namespace: this.namespace,
      clusterScoped: this.schema.isClusterScoped(apiVersion, kind),
    }
  }

  /** Equal for resources that kustomize considers the same. */
  currentKey(): string {
    return this.current ? this.current.key : idKey(this.currentId())
  }

  /** Returns a function that computes the identity at this moment: equal for the same current and previous ids and affixes. */
  identity(): () => string {
    const { current: known, history } = this
    if (known) return () => known.identity
    const id = this.currentId()
    return () => identityOf(id, history)
  }

  previousIds(): ResourceId[] {
    const version = parseGroupVersion(this.apiVersion)
    return this.previous.map(id => ({ ...version, ...id, clusterScoped: false }))
  }

  originalId(): ResourceId {
    const first = this.previous[0]
    return first ? { ...parseGroupVersion(this.apiVersion), ...first, clusterScoped: false } : this.currentId()
  }

  /** Stores the identity before it changes. */
  storePreviousId(): void {
    const id = this.currentId()
    const present = { name: id.name, namespace: effectiveNamespace(id), kind: id.kind }
    const previous = [...this.previous, present]
    requireReadable(previous)
    this.remember({ previous })
  }

  labels(): ReadonlyMap<string, string> {
    return this.derive(labelsOf)
  }

  annotations(): ReadonlyMap<string, string> {
    return this.derive(annotationsOf)
  }

  setLabels(labels: ReadonlyMap<string, string>): void {
    this.setMetadataMap('labels', labels)
  }

  setAnnotations(annotations: ReadonlyMap<string, string>): void {
    this.setMetadataMap('annotations', annotations)
  }

  /** Rewrites a map of strings: all values become strings, and an empty map is removed. */
  private setMetadataMap(key: string, entries: ReadonlyMap<string, string>): void {
    const metadata = createPath(this.node!, ['metadata'], 'map')!
    clearFieldOf(metadata, key)
    if (entries.size === 0) return
    const map = createPath(metadata, [key], 'map')
    // Metadata that is an explicit null can't hold it.
    if (map) for (const [name, value] of entries) setFieldOf(map, name, stringNode(value))
  }

  setName(name: string): void {
    setFieldOf(createPath(this.node!, ['metadata'], 'map')!, 'name', scalarNode(name))
  }

  setNamespace(namespace: string): void {
    if (namespace === '') {
      const metadata = field(this.node, 'metadata')
      if (metadata) clearFieldOf(metadata, 'namespace')
    } else setFieldOf(createPath(this.node!, ['metadata'], 'map')!, 'namespace', scalarNode(namespace))
  }

  setKind(kind: string): void {
    setFieldOf(this.node!, 'kind', scalarNode(kind))
  }

  setApiVersion(apiVersion: string): void {
    setFieldOf(this.node!, 'apiVersion', scalarNode(apiVersion))
  }

  /** An independent copy. */
  clone(): Resource {
    const copy = new Resource(cloneNode(this.view!), this.schema, this.origin)
    copy.history = this.history
    return copy
  }

  /** Takes over the history of another resource. */
  adoptHistory(other: Resource): void {
    this.remember(other.history)
  }

  /** The object as plain data. */
  toJson(): JsonObject {
    try {
      return marshalJson(this.view!) as JsonObject
    } catch (error) {
      throw noDataError(error, this.origin.file)
    }
  }

  toYaml(): string {
    return emitJson(this.toJson())
  }
}

const textsIn =
  (key: string): Derivation<ReadonlyMap<string, string>> =>
  node => {
    const texts = new Map<string, string>()
    const map = field(field(node, 'metadata'), key)
    if (map?.kind !== 'map') return texts
    for (let i = 0; i < map.content.length; i += 2) texts.set(map.content[i]!.value, map.content[i + 1]!.value)
    return texts
  }

const labelsOf = textsIn('labels')
const annotationsOf = textsIn('annotations')
