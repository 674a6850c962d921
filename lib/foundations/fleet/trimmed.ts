import type { KubernetesObject } from '../kinds/object.ts'

/** Longer messages are cut: a fleet is read as a whole. */
const maxMessage = 2_000

const metadataFields = ['name', 'namespace', 'generation', 'creationTimestamp', 'deletionTimestamp', 'labels']
const specFields = ['suspend', 'kubeConfig', 'sourceRef', 'chartRef', 'dependsOn', 'inputsFrom', 'windows', 'url']
const statusFields = [
  ...['observedGeneration', 'lastAppliedRevision', 'lastAttemptedRevision', 'helmChart'],
  ...['kubeConfig', 'server', 'kubernetesVersion', 'latency', 'lastContactTime', 'credential'],
]
const entryFields = ['chartName', 'chartVersion']

/** What `trimmed` keeps: objects that were stored with other fields can't be used. */
export const trimmedFormat: readonly unknown[] = [maxMessage, metadataFields, specFields, statusFields, entryFields]

/**
 * An object with what reports on a fleet need of it: where it applies, what it depends on, its state. It has no inventory,
 * no field managers and no content.
 */
export const trimmed = ({ apiVersion, kind, metadata, spec, status }: KubernetesObject): KubernetesObject => {
  const { conditions, history, artifact } = (status ?? {}) as {
    readonly conditions?: readonly object[]
    readonly history?: readonly object[]
    readonly artifact?: object
  }
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => isOurs(name))
  return {
    apiVersion,
    kind,
    metadata: {
      ...(picked(metadata, metadataFields) as unknown as KubernetesObject['metadata']),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    ...(spec !== undefined && { spec: picked(spec, specFields) }),
    ...(status !== undefined && {
      status: {
        ...picked(status, statusFields),
        ...(Array.isArray(conditions) && { conditions: conditions.map(withShortMessage) }),
        ...(artifact && { artifact: picked(artifact, ['revision']) }),
        ...(Array.isArray(history) && { history: history.slice(0, 1).map(entry => picked(entry, entryFields)) }),
      },
    }),
  }
}

/** Annotations that say how an object is reconciled. */
const isOurs = (name: string): boolean => /\b(?:keelson\.dev|fluxcd\.io|fluxcd\.controlplane\.io)\//.test(name)

const picked = (from: unknown, fields: readonly string[]): Readonly<Record<string, unknown>> => {
  const object = from as Readonly<Record<string, unknown>>
  return Object.fromEntries(fields.flatMap(field => (object[field] === undefined ? [] : [[field, object[field]]])))
}

const withShortMessage = (condition: object): object => {
  const { message } = condition as { readonly message?: unknown }
  if (typeof message !== 'string' || message.length <= maxMessage) return condition
  return { ...condition, message: `${message.slice(0, maxMessage)}…` }
}
