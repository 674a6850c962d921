import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject } from '../yaml/json-value.ts'
import { marshalJson } from '../yaml/marshal-json.ts'
import { cloneNode, field, isMissing, scalarNode, stringNode, type YamlNode } from '../yaml/node.ts'
import {
  type GeneratorBehavior,
  type History,
  identityOf,
  KnownObject,
  NO_HISTORY,
  type PreviousId,
  type Question,
} from './known-object.ts'
import { noData } from './no-data.ts'
import { clearFieldOf, createPath, setFieldOf } from './node-path.ts'
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
export type Change = (resource: Resource) => void

/**
 * A Kubernetes object on its way through a build, and what the build must remember of it.
 *
 * In a build with a memory it often is at a point where it was in the build before. Then `known` stands for it, and the object
 * itself is made only for those who look at it (`view`) or change it (`node`, from where on it is no longer known).
 */
export class Resource {
  readonly schema: Schema
  origin: ResourceOrigin
  private history: History = NO_HISTORY
  private own: YamlNode | undefined
  private known: KnownObject | undefined
  /** The snapshot from which changes were skipped, and these changes: to recreate the object on demand. */
  private spared: { readonly from: KnownObject; readonly changes: Change[] } | undefined

  constructor(node: YamlNode | undefined, schema: Schema, origin: ResourceOrigin) {
    this.own = node
    this.schema = schema
    this.origin = origin
  }

  /** An object at a snapshot whose nodes are kept. */
  static at(known: KnownObject, schema: Schema, origin: ResourceOrigin): Resource {
    const resource = new Resource(undefined, schema, origin)
    resource.history = known.history
    resource.known = known
    resource.spared = { from: known, changes: [] }
    return resource
  }

  /** The object, for modification. undefined after a patch deleted it. */
  get node(): YamlNode | undefined {
    this.depart()
    return this.own
  }

  set node(node: YamlNode | undefined) {
    this.own = node
    this.known = undefined
    this.spared = undefined
  }

  /** The object, read-only. */
  get view(): YamlNode | undefined {
    if (this.own) return this.own
    if (this.known?.node) return this.known.node
    this.own = this.made()
    return this.own
  }

  /** It no longer matches a snapshot. */
  private depart(): void {
    this.own ??= this.made()
    this.known = undefined
    this.spared = undefined
  }

  /** The object with all skipped changes applied. */
  private made(): YamlNode | undefined {
    if (!this.spared) return undefined
    const { from, changes } = this.spared
    const resource = Resource.at(from, this.schema, this.origin)
    resource.own = from.copy()
    resource.known = undefined
    for (const change of changes) change(resource)
    return resource.own
  }

  /** The snapshot that it matches, if any. */
  get point(): KnownObject | undefined {
    return this.known
  }

  /** Skips a change that is known to lead to a snapshot. */
  spare(change: Change, to: KnownObject): void {
    this.spared!.changes.push(change)
    this.own = undefined
    this.known = to
    this.history = to.history
  }

  /** Takes a snapshot of the current state. */
  settle(): KnownObject {
    if (!this.known) {
      this.known = new KnownObject(this.currentId(), this.apiVersion, this.history)
      this.spared = undefined
    }
    return this.known
  }

  /** Takes a snapshot that other resources can start from, and hands the object over to it. */
  leave(): KnownObject {
    const known = this.settle()
    known.keep(this.view!)
    this.own = undefined
    this.spared = { from: known, changes: [] }
    return known
  }

  /** Deleted by a patch. */
  get isEmpty(): boolean {
    return !this.known && !this.own
  }

  /** A value derived from the object, computed once per snapshot. */
  ask<Answer>(question: Question<Answer>): Answer {
    return this.known ? this.known.answer(question, () => this.view!) : question(this.view!)
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
    this.depart()
    this.history = { ...this.history, ...change }
  }

  get kind(): string {
    return this.known ? this.known.id.kind : (field(this.own, 'kind')?.value ?? '')
  }

  get apiVersion(): string {
    return this.known ? this.known.apiVersion : (field(this.own, 'apiVersion')?.value ?? '')
  }

  get name(): string {
    return this.known ? this.known.id.name : this.metadataText('name')
  }

  get namespace(): string {
    return this.known ? this.known.id.namespace : this.metadataText('namespace')
  }

  private metadataText(key: string): string {
    const value = field(field(this.own, 'metadata'), key)
    return isMissing(value) ? '' : value.value
  }

  get gvk(): Gvk {
    return { ...parseGroupVersion(this.apiVersion), kind: this.kind }
  }

  currentId(): ResourceId {
    if (this.known) return this.known.id
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
    return this.known ? this.known.key : idKey(this.currentId())
  }

  /** Returns a function that computes the identity at this moment: equal for the same current and previous ids and affixes. */
  identity(): () => string {
    const { known, history } = this
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
    return this.ask(labelsOf)
  }

  annotations(): ReadonlyMap<string, string> {
    return this.ask(annotationsOf)
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
      throw noData(error, this.origin.file)
    }
  }

  toYaml(): string {
    return emitJson(this.toJson())
  }
}

const textsIn =
  (key: string): Question<ReadonlyMap<string, string>> =>
  node => {
    const texts = new Map<string, string>()
    const map = field(field(node, 'metadata'), key)
    if (map?.kind !== 'map') return texts
    for (let i = 0; i < map.content.length; i += 2) texts.set(map.content[i]!.value, map.content[i + 1]!.value)
    return texts
  }

const labelsOf = textsIn('labels')
const annotationsOf = textsIn('annotations')
