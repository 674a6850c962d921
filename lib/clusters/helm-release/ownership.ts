import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** The release that owns objects. */
export interface ReleaseId {
  readonly name: string
  readonly namespace: string
}

const MANAGED_BY = 'app.kubernetes.io/managed-by'
const NAME = 'meta.helm.sh/release-name'
const NAMESPACE = 'meta.helm.sh/release-namespace'

/** Adds the label and annotations by which Helm recognizes its objects. */
export const withOwnership = (object: KubernetesObject, { name, namespace }: ReleaseId): KubernetesObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata.labels, [MANAGED_BY]: 'Helm' },
    annotations: { ...object.metadata.annotations, [NAME]: name, [NAMESPACE]: namespace },
  },
})

/** Why the release does not own an object, in Helm's wording; undefined if it does. */
export const ownershipProblem = ({ metadata }: KubernetesObject, release: ReleaseId): string | undefined => {
  const { labels = {}, annotations = {} } = metadata
  const problems = [
    problemOf('label', labels, MANAGED_BY, 'Helm'),
    problemOf('annotation', annotations, NAME, release.name),
    problemOf('annotation', annotations, NAMESPACE, release.namespace),
  ].filter(problem => problem !== undefined)
  return problems.length > 0 ? `invalid ownership metadata; ${problems.join('; ')}` : undefined
}

const problemOf = (
  what: string,
  fields: Readonly<Record<string, string>>,
  key: string,
  value: string,
): string | undefined => {
  if (fields[key] === value) return undefined
  return key in fields
    ? `${what} validation error: key "${key}" must equal "${value}": current value is "${fields[key]}"`
    : `${what} validation error: missing key "${key}": must be set to "${value}"`
}

/** `ConfigMap "app" in namespace "apps"`. */
export const describeResource = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} "${metadata.name}" in namespace "${metadata.namespace ?? ''}"`
