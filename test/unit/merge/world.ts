/** One object as an API server keeps it: what `lib/merge` is for, with no more around it than a test needs. */
import { withCompactMetadata } from '../../../lib/kinds/compact.ts'
import { withDefaults } from '../../../lib/kinds/defaults.ts'
import { wholeSchema } from '../../../lib/kinds/metadata.ts'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { apply } from '../../../lib/merge/apply.ts'
import { ApplyConflict } from '../../../lib/merge/conflict.ts'
import { mergePatch } from '../../../lib/merge/merge-patch.ts'
import type { Writing } from '../../../lib/merge/ownership.ts'
import { resetFields } from '../../../lib/merge/ownership.ts'
import { trackUpdate } from '../../../lib/merge/track-update.ts'
import { type Step, thing, thingSchema } from './thing.ts'

export const schema = wholeSchema(thingSchema)

export interface Answer {
  readonly code: number
  readonly object?: KubernetesObject
  readonly error?: ApplyConflict
}

const decoded = (object: KubernetesObject) => withCompactMetadata(withDefaults(schema, object))

export const world = () => {
  let live: KubernetesObject | undefined
  let second = 0

  const perform = (step: Step): Answer => {
    const apiVersion = `${thing.group}/${step.version}`
    const isStatus = step.do.endsWith('status')
    if (!live && step.do !== 'apply' && step.do !== 'update') return { code: 404 }
    const before = live && { ...live, apiVersion }
    const writing: Writing = {
      schema,
      apiVersions: thing.versions.map(({ name }) => `${thing.group}/${name}`),
      apiVersion,
      manager: step.manager,
      ...(isStatus && { subresource: 'status' }),
      ignored: resetFields(true, isStatus ? 'status' : undefined),
      now: new Date(1e12 + second++ * 1000).toISOString().replace('.000', ''),
    }
    const { spec, status, labels } = step
    const metadata = {
      name: 'thing',
      namespace: 'default',
      ...(labels !== undefined && { labels: labels as Record<string, string> }),
    }
    const sent: KubernetesObject = {
      apiVersion,
      kind: 'Thing',
      metadata,
      ...(spec !== undefined && { spec }),
      ...(status !== undefined && { status }),
    }
    const keep = (object: KubernetesObject): KubernetesObject => {
      const { status: _, ...rest } = object as KubernetesObject & { status?: unknown }
      if (!before) return rest as KubernetesObject
      const { status: liveStatus, ...liveRest } = before as KubernetesObject & { status?: unknown }
      if (isStatus)
        return {
          ...liveRest,
          ...('status' in object && { status: object.status }),
          metadata: { ...before.metadata, managedFields: object.metadata.managedFields },
        } as KubernetesObject
      return { ...rest, ...(liveStatus !== undefined && { status: liveStatus }) } as KubernetesObject
    }
    const stored = (object: KubernetesObject, code = live ? 200 : 201): Answer => {
      live = object
      return { code, object }
    }
    try {
      switch (step.do) {
        case 'apply':
        case 'apply status':
          return stored(keep(decoded(apply(before, sent, { ...writing, force: step.force === true }))))
        case 'update':
        case 'merge':
        case 'merge status': {
          const written =
            step.do !== 'update' ? mergePatch(before, sent) : before ? { ...before, spec, metadata } : sent
          return stored(trackUpdate(before, keep(decoded(written as KubernetesObject)), writing))
        }
      }
    } catch (error) {
      if (error instanceof ApplyConflict) return { code: 409, error }
      throw error
    }
  }
  return { perform, live: () => live }
}

/** As recorded: without identity and times, entries in an order that doesn't depend on times. */
export const stable = (object: KubernetesObject): unknown => {
  const { apiVersion, kind, metadata, ...content } = object
  const { name, namespace, generation, managedFields, ...rest } = metadata
  const entries = managedFields?.map(({ time, ...entry }) => entry)
  return JSON.parse(
    JSON.stringify({ ...content, metadata: { ...rest, ...(entries && { managedFields: sortEntries(entries) }) } }),
  )
}

export const sortEntries = <T>(entries: readonly T[]): T[] => {
  const key = (entry: T) => JSON.stringify(entry, ['manager', 'operation', 'apiVersion', 'subresource'])
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
