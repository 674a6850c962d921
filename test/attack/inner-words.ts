import type { Condition, KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import type { ApiClient } from './api-client.ts'

/** What V8 says of a bug, and JavaScript of what is not there. */
const inner = /\bundefined\b|Cannot (read|set) propert|is not a function|is not iterable|\[object Object\]|\bNaN\b/

/** Conditions and Events, of all objects in a hub, that show its insides instead of telling what is wrong. */
export const innerWords = async (admin: ApiClient): Promise<readonly string[]> => {
  const found: string[] = []
  for (const collection of await collectionsOf(admin))
    for (const object of await allOf(admin, collection)) {
      const { kind, metadata, status, reason, note, message = note } = object as Told
      const where = `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
      const conditions = Array.isArray(status?.conditions) ? status.conditions : []
      for (const { type, reason, message } of conditions as Partial<Condition>[])
        if (inner.test(`${reason} ${message}`)) found.push(`${where} ${type}: ${reason}: ${message}`)
      if (kind === 'Event' && inner.test(`${reason} ${message}`)) found.push(`${where}: ${reason}: ${message}`)
    }
  return found
}

type Told = KubernetesObject & {
  readonly status?: { readonly conditions?: unknown }
  readonly reason?: string
  readonly message?: string
  /** The message, in events.k8s.io. */
  readonly note?: string
}

interface Listed {
  readonly groupVersion: string
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[]
}

/** The path of each kind that can be listed. */
const collectionsOf = async (admin: ApiClient): Promise<readonly string[]> => {
  const { groups } = (await admin.request('GET', '/apis')).body as {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
  }
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const lists = await Promise.all(
    roots.map(async root => ({ root, ...((await admin.request('GET', root)).body as Listed) })),
  )
  return lists.flatMap(({ root, resources }) =>
    resources
      .filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/'))
      .map(({ name }) => `${root}/${name}`),
  )
}

const allOf = async (admin: ApiClient, path: string): Promise<readonly KubernetesObject[]> => {
  const { body } = await admin.request('GET', path)
  const { kind, items } = body as { readonly kind: string; readonly items: readonly KubernetesObject[] }
  return items.map(item => ({ ...item, kind: kind.replace(/List$/, '') }))
}
