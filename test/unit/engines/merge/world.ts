/** One object as an API server keeps it: what `lib/engines/merge` is for, with no more around it than a test needs. */

import { NotApplicable } from '../../../../lib/engines/merge/applicable.ts'
import { apply } from '../../../../lib/engines/merge/apply.ts'
import { ApplyConflict } from '../../../../lib/engines/merge/conflict.ts'
import { mergePatch } from '../../../../lib/engines/merge/merge-patch.ts'
import type { Writing } from '../../../../lib/engines/merge/ownership.ts'
import { orUnchanged, resetFields } from '../../../../lib/engines/merge/ownership.ts'
import { trackUpdate } from '../../../../lib/engines/merge/track-update.ts'
import { apiVersionOf } from '../../../../lib/foundations/kinds/all.ts'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import { wholeSchemaOf } from '../../../../lib/foundations/kinds/metadata.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { versionOf } from '../../../../lib/foundations/kinds/object.ts'
import { decode } from '../../../../lib/foundations/kinds/schema/decode.ts'
import type { Step } from './thing.ts'

export interface Answer {
  readonly code: number
  readonly object?: KubernetesObject
  readonly error?: ApplyConflict | NotApplicable
}

export interface Write {
  readonly how: 'put' | 'merge' | 'apply'
  /** As it is sent; what a PUT leaves out is gone. */
  readonly sent: KubernetesObject
  readonly manager: string
  readonly force?: boolean
  readonly subresource?: 'status'
}

export const world = (kind: Kind) => {
  let live: KubernetesObject | undefined
  let seconds = 0

  const write = ({ how, sent, manager, force = false, subresource }: Write): Answer => {
    const version = kind.versions.find(({ name }) => name === versionOf(sent.apiVersion))!
    if (!live && (how === 'merge' || subresource)) return { code: 404 }
    const before = live && { ...live, apiVersion: sent.apiVersion }
    const writing: Writing = {
      schema: wholeSchemaOf(version),
      apiVersions: kind.versions.map(served => apiVersionOf(kind, served)),
      apiVersion: sent.apiVersion,
      manager,
      ...(subresource && { subresource }),
      ignored: resetFields(version.status === true, subresource),
      now: new Date(1e12 + seconds++ * 1000).toISOString().replace('.000', ''),
    }
    const accept = (object: KubernetesObject) =>
      asWritable(decode({ kind, version }, object).object, before, version.status === true, subresource)
    try {
      const written =
        how === 'apply'
          ? orUnchanged(before, accept(apply(before, sent, { ...writing, force })))
          : trackUpdate(before, accept(how === 'put' ? sent : (mergePatch(before, sent) as KubernetesObject)), writing)
      const code = live ? 200 : 201
      live = written
      return { code, object: written }
    } catch (error) {
      if (error instanceof ApplyConflict) return { code: 409, error }
      if (error instanceof NotApplicable) return { code: 500, error }
      throw error
    }
  }
  return { write, live: () => live }
}

/** With what this way of writing can't change as it was. */
const asWritable = (
  object: KubernetesObject,
  before: KubernetesObject | undefined,
  hasStatus: boolean,
  subresource: string | undefined,
): KubernetesObject => {
  if (!hasStatus) return object
  const { status, ...rest } = object
  const { status: old, ...kept }: Partial<KubernetesObject> = before ?? {}
  const written = subresource ? status : old
  const base = subresource
    ? { ...kept, metadata: { ...before!.metadata, managedFields: object.metadata.managedFields } }
    : rest
  return { ...base, ...(written !== undefined && { status: written }) } as KubernetesObject
}

/** A step of a random scenario as a write. A PUT starts from the live object. */
export const asWrite = (step: Step, live: KubernetesObject | undefined): Write => {
  const { spec, status, labels, manager, force } = step
  const sent = {
    apiVersion: `test.keelson.dev/${step.version}`,
    kind: 'Thing',
    metadata: { name: 'thing', namespace: 'default', ...(labels !== undefined && { labels }) },
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  } as KubernetesObject
  const common = {
    manager,
    force: force ?? false,
    ...(step.do.endsWith('status') && { subresource: 'status' as const }),
  }
  if (step.do === 'update') return { ...common, how: 'put', sent: live ? { ...live, ...sent } : sent }
  return { ...common, how: step.do.startsWith('apply') ? 'apply' : 'merge', sent }
}

/** As recorded: without identity and times. */
export const stable = (object: KubernetesObject): { metadata: { managedFields?: readonly object[] } } => {
  const { apiVersion, kind, metadata, ...content } = object
  const { name, namespace, uid, resourceVersion, creationTimestamp, generation, managedFields, ...rest } = metadata
  const entries = managedFields?.map(({ time, ...entry }) => entry)
  return JSON.parse(JSON.stringify({ ...content, metadata: { ...rest, ...(entries && { managedFields: entries }) } }))
}

/** Entries in an order that doesn't depend on times. */
export const withSortedEntries = (object: ReturnType<typeof stable>) => {
  const key = (entry: object) => JSON.stringify(entry, ['manager', 'operation', 'apiVersion', 'subresource'])
  const { managedFields, ...metadata } = object.metadata
  const sorted = managedFields?.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  return { ...object, metadata: { ...metadata, ...(sorted && { managedFields: sorted }) } }
}
