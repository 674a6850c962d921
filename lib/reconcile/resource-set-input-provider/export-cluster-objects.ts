import { ClusterError } from '../../clusters/client/client.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import { limiter } from '../../clusters/client/limiter.ts'
import { CelError } from '../../engines/cel/cel-error.ts'
import { type Expression, expression } from '../../engines/cel/expression.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import { type Cluster, kubeConfigOf } from '../../foundations/kinds/cluster.ts'
import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { abortable } from '../../foundations/rules/abortable.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import { clientOf, readAccess } from '../applied-objects/stored-access.ts'
import { isMistake } from '../runtime/halt.ts'
import type { InputProviderPorts } from './context.ts'
import { limitOf } from './filter.ts'
import { identityOf, requireOwnNamespace, selectObjects } from './select-objects.ts'

type Provider = ResourceSetInputProvider
type ClusterObject = NonNullable<Provider['spec']['clusterObject']>

const clusterKind = { apiVersion: `${fleetGroup}/v1alpha1`, kind: 'Cluster' }

/** Clusters that are read at a time, and the time that each may take, in milliseconds. */
const [clustersAtOnce, readMs] = [16, 15_000]

/** What these names mean is fixed. */
const reserved: ReadonlySet<string> = new Set(['id', 'name', 'namespace', 'kubeConfig'])

/**
 * Keelson's own: reads one object on each of the selected Clusters and exports fields of it, by CEL, with the identity of the Cluster. The hub uses
 * the access that units of this namespace use, as the provider's account. A cluster whose object can't be read keeps the inputs that it had.
 */
export const exportClusterObjects = async (
  provider: Provider,
  ports: InputProviderPorts,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<readonly InputSet[]> => {
  const { clusterObject, selectors = [{}], filter = {} } = provider.spec
  if (!clusterObject) throw new Error('spec.clusterObject must be set')
  requireOwnNamespace(provider, selectors)
  const fields = compiled(clusterObject)
  const found = (await selectObjects(provider, clusterKind, selectors, ports, signal)) as readonly Cluster[]
  const clusters = found.slice(0, limitOf(filter))
  const limited = limiter(clustersAtOnce)
  const sets = await Promise.all(
    clusters.map(cluster =>
      limited(async () => {
        const identity = identityOf(cluster)
        try {
          const object = await readOn(cluster, provider, clusterObject, ports, signal)
          return [{ ...identity, kubeConfig: { ...kubeConfigOf(cluster) }, ...valuesIn(object, fields) }]
        } catch (error) {
          signal.throwIfAborted()
          if (isMistake(error)) throw error
          const known = provider.status?.exportedInputs?.filter(({ id }) => id === identity.id) ?? []
          const kept = known.length > 0 ? 'it keeps its inputs' : 'it is left out'
          warn(`Cluster ${cluster.metadata.namespace}/${cluster.metadata.name}: ${errorMessage(error)}; ${kept}`)
          return known
        }
      }, signal),
    ),
  )
  return sets.flat().sort((a, b) => compareText(String(a.name), String(b.name)))
}

/** Fails with the error in an expression, or on a name that is taken. */
const compiled = ({ fields }: ClusterObject): ReadonlyMap<string, Expression> =>
  new Map(
    Object.entries(fields).map(([name, text]) => {
      if (reserved.has(name)) throw new Error(`spec.clusterObject.fields: '${name}' is the Cluster's own`)
      try {
        return [name, expression(text)]
      } catch (error) {
        if (!(error instanceof CelError)) throw error
        throw new Error(`spec.clusterObject.fields.${name}: ${error.message}`)
      }
    }),
  )

const readOn = async (
  cluster: Cluster,
  provider: Provider,
  { apiVersion, kind, name, namespace = '' }: ClusterObject,
  { references, clusters, settings }: InputProviderPorts,
  signal: AbortSignal,
): Promise<KubernetesObject> => {
  const kubeConfig = kubeConfigOf(cluster)
  if (!kubeConfig) throw new KubeconfigError('its access is not known yet')
  const access = await readAccess(references, cluster, kubeConfig)
  const client = await clientOf(clusters, access, impersonationOf(actingAccount(provider, settings)))
  const limit = AbortSignal.any([signal, AbortSignal.timeout(readMs)])
  const ref = { group: groupOf(apiVersion), kind, namespace, name }
  const object = await abortable(client.get(apiVersion, ref, { signal: limit }), limit)
  if (object) return object
  throw new ClusterError('notFound', `${kind} ${namespace ? `${namespace}/` : ''}${name} not found`)
}

const valuesIn = (object: KubernetesObject, fields: ReadonlyMap<string, Expression>): InputSet =>
  Object.fromEntries(
    [...fields].map(([name, expression]) => [name, plain(expression.evaluate({ self: object }), name)]),
  )

/** Texts, numbers, booleans, and lists of them: what templates can use. */
const plain = (value: unknown, name: string): unknown => {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(item => plain(item, name))
  throw new Error(
    `spec.clusterObject.fields.${name}: the result must be a string, a number, a boolean or a list of them`,
  )
}
