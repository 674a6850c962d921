import { gunzipSync } from 'node:zlib'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { World } from './world.ts'

type Fields = Readonly<Record<string, unknown>>

const releaseType = 'helm.sh/release.v1'

/** Helm's release Secrets in the namespaces of a scenario, as recordings show them, by `<cluster> <namespace>/<name>`. */
export const releasesOf = async (world: World): Promise<Readonly<Record<string, unknown>>> => {
  const { scenario } = world
  const clusters = scenario.target === undefined ? (['hub'] as const) : (['hub', 'target'] as const)
  const shown: Record<string, unknown> = {}
  for (const cluster of clusters)
    for (const namespace of [scenario.id, ...(scenario.extraNamespaces ?? [])]) {
      const { items } = await world.real(cluster).list({ apiVersion: 'v1', kind: 'Secret', namespace })
      for (const secret of items.filter(({ type }) => type === releaseType))
        shown[`${cluster} ${namespace}/${secret.metadata.name}`] = shownRelease(secret)
    }
  return shown
}

export const decodedRelease = ({ data }: KubernetesObject): Fields => {
  const text = Buffer.from((data as Readonly<Record<string, string>>).release ?? '', 'base64').toString()
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString())
}

const times = /^(createdAt|modifiedAt)$/

const shownRelease = (secret: KubernetesObject): Fields => {
  const release = decodedRelease(secret)
  const { name, namespace, version, apply_method, info, chart, config = null, manifest, hooks = [] } = release
  const { metadata, values = null } = chart as Fields
  const labels = Object.entries(secret.metadata.labels ?? {})
  return {
    type: secret.type,
    labels: Object.fromEntries(labels.map(([key, value]) => [key, times.test(key) ? '${UNIX}' : value])),
    keys: Object.keys(release).sort(),
    ...{ name, namespace, version, apply_method },
    info: timeless(info as Fields),
    chart: metadata,
    chartKeys: Object.keys(chart as Fields).sort(),
    ...{ values, config, manifest },
    hooks: (hooks as readonly Fields[]).map(hook => ({ ...hook, last_run: timeless(hook.last_run as Fields) })),
  }
}

/** Times of the run as recordings have them. */
const timeless = (fields: Fields = {}): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? '${TIME}' : value,
    ]),
  )
