import { Command } from 'commander'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { namedTarget } from '../../foundations/kinds/target-reference.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import { runnerSecretRef } from '../../hub/runners/runner-secret.ts'
import { runnerUnitKinds } from '../../hub/runners/units.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { hasTarget, type TargetOptions, withTarget, withTargetOptions } from '../runner-in-cluster.ts'
import { managedBy, runnerManifests } from '../runner-manifests.ts'
import type { Terminal } from '../terminal.ts'

const examples = `
Examples:
  # Revokes the runner, and deletes what keelson join made on the hub
  keelson leave aurora -n ships

  # And the runner itself
  keelson leave aurora -n ships --target-context aurora
`

/** `keelson leave`: takes away what `keelson join` made. */
export const leaveCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withTargetOptions(
    withHubOptions(
      new Command('leave')
        .summary('take away the runner of a cluster')
        .description(
          'Revokes the runner of a Cluster, and deletes what keelson join made: on the hub, and on the cluster if you name it. Refuses while units name the Cluster. Can be repeated.',
        )
        .argument('<cluster>', 'name of the Cluster'),
    ),
  )
    .addHelpText('after', examples)
    .action(async (name: string, options: HubOptions & TargetOptions) => {
      await withHub(options, env, hub => requireUnused(hub, options.namespace, name))
      if (hasTarget(options)) {
        await withTarget(options, env, target => removeRunner(target, options.runnerNamespace))
        terminal.success(`the runner is deleted from its cluster`)
      }
      await withHub(options, env, hub => removeFromHub(hub, options.namespace, name))
      terminal.success(`the runner of Cluster ${options.namespace}/${name} is revoked`)
    })

const clusterVersion = apiVersionOf(clusterKind as unknown as Kind)
const clusterRef = (namespace: string, name: string): ObjectRef => ({
  ...{ group: clusterKind.group, kind: clusterKind.kind },
  ...{ namespace, name },
})

/** Units of a Cluster without a runner would stay for ever. */
const requireUnused = async ({ cluster: hub, signal }: HubAccess, namespace: string, name: string): Promise<void> => {
  const found = await hub.get(clusterVersion, clusterRef(namespace, name), { signal })
  const configMap = found && namedTarget(found)?.name
  const lists = await Promise.all(
    runnerUnitKinds.map(kind =>
      hub.list({ apiVersion: apiVersionOf(kind as unknown as Kind), kind: kind.kind, namespace }, { signal }),
    ),
  )
  const units = lists
    .flatMap(({ items }) => items)
    .filter(unit => configMap !== undefined && namedTarget(unit)?.name === configMap)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  if (units.length > 0)
    throw new CommandFailed(
      `Cluster ${namespace}/${name} has units: delete them first, or suspend and delete those whose objects are to stay: ${units.join(', ')}`,
    )
}

const removeFromHub = async ({ cluster: hub, signal }: HubAccess, namespace: string, name: string): Promise<void> => {
  const ref = clusterRef(namespace, name)
  const cluster = await hub.get(clusterVersion, ref, { signal })
  const configMap = { group: '', kind: 'ConfigMap', namespace, name: (cluster && namedTarget(cluster)?.name) ?? name }
  const removed = { propagation: 'Background', signal } as const
  await hub.delete('v1', runnerSecretRef({ namespace, name }), removed)
  if (isMadeByJoin(cluster)) await hub.delete(clusterVersion, ref, removed)
  if (isMadeByJoin(await hub.get('v1', configMap, { signal }))) await hub.delete('v1', configMap, removed)
}

const isMadeByJoin = (object: KubernetesObject | undefined): boolean =>
  Object.entries(managedBy).every(([key, value]) => object?.metadata.labels?.[key] === value)

/** What bears the label of `keelson join`: the reverse of applying it. */
const removeRunner = async ({ cluster: target, signal }: HubAccess, namespace: string): Promise<void> => {
  const all = runnerManifests(
    {
      ...{ namespace, hub: 'https://any', cluster: 'any', image: 'any', certificateAuthority: '', into: [] },
      ...{ verifyKeys: ['any'], planKeys: [], planSignatures: 1, decryptionKeys: {} },
    },
    'any',
  )
  const bindings = await target.list(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      labelSelector: selectorText({ matchLabels: managedBy }),
    },
    { signal },
  )
  for (const { apiVersion, kind, metadata } of [...all, ...bindings.items].reverse()) {
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : []
    const ref = { group, kind, namespace: metadata.namespace ?? '', name: metadata.name }
    const found = await target.get(apiVersion, ref, { signal })
    if (isMadeByJoin(found)) await target.delete(apiVersion, ref, { propagation: 'Background', signal })
  }
}
