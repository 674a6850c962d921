import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { runnerProvider } from '../../foundations/rules/runner-access.ts'
import { joinTokenMs, runnerSecretRef, secretWithToken } from '../../hub/runners/runner-secret.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubAccess, type HubOptions, hubAuthority, withHub, withHubOptions } from '../hub-access.ts'
import {
  asYaml,
  hasTarget,
  type ManifestOptions,
  runnerInCluster,
  type TargetOptions,
  withManifestOptions,
  withTarget,
  withTargetOptions,
} from '../runner-in-cluster.ts'
import { hasKeys } from '../runner-keys.ts'
import { managedBy, missingDemands, type RunnerInCluster, runnerManifests, runnerName } from '../runner-manifests.ts'
import type { Terminal } from '../terminal.ts'

const examples = `
Examples:
  # Makes the Cluster aurora, if there is none, and prints the token for its runner
  TOKEN=$(keelson join aurora -n ships)

  # The same again replaces the key of a runner that was stolen or lost, once a new one has joined
  keelson join aurora -n ships

  # Prints what runs it in its cluster, with rights in two namespaces
  keelson join aurora -n ships --image registry.example.org/keelson:1.0 --into-namespaces apps,web > aurora.yaml

  # The same for a hub whose user jane may see what is on the cluster, as far as the cluster lets jane
  keelson join aurora -n ships --image registry.example.org/keelson:1.0 --into-namespaces apps,web --live-users jane > aurora.yaml

  # Applies it there
  keelson join aurora -n ships --image registry.example.org/keelson:1.0 --target-context aurora

  # And has it apply only what the author of the sources has signed
  keelson join aurora -n ships --image registry.example.org/keelson:1.0 --target-context aurora --verify-key author.pub

  # Revokes a runner at once
  kubectl delete secret aurora-runner -n ships
`

/** `keelson join`: lets one runner enrol for a Cluster. */
export const joinCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream, terminal: Terminal): Command =>
  withTargetOptions(
    withManifestOptions(
      withHubOptions(
        new Command('join')
          .summary('let a runner work for a cluster that the hub cannot reach')
          .description(
            `Prints a token with which one runner can join within ${joinTokenMs / 60_000} minutes, or, with --image, what runs it in its cluster. Makes what the hub needs for it: the Cluster, if there is none, and the ConfigMap that units name in spec.kubeConfig. Can be repeated.`,
          )
          .argument('<cluster>', 'name of the Cluster'),
      ),
    ),
  )
    .addHelpText('after', examples)
    .action((name: string, options: JoinOptions) => join(name, { env, output, terminal }, options))

type JoinOptions = HubOptions & ManifestOptions & TargetOptions

const join = (
  name: string,
  { env, output, terminal }: { env: NodeJS.ProcessEnv; output: NodeJS.WritableStream; terminal: Terminal },
  options: JoinOptions,
): Promise<void> =>
  withHub(options, env, async ({ cluster: hub, signal }) => {
    const { namespace } = options
    const ref = { group: clusterKind.group, kind: clusterKind.kind, namespace, name }
    const apiVersion = `${clusterKind.group}/v1alpha1`
    const found = await hub.get(apiVersion, ref, { signal })
    const configMapRef = configMapOf(found) ?? { name }
    if (found && !configMapOf(found))
      throw new CommandFailed(
        `Cluster ${namespace}/${name} has another access: a runner needs spec.kubeConfig.configMapRef`,
      )
    const certificateAuthority = hubAuthority(options, env)
    const inCluster = runnerInCluster(`${namespace}/${name}`, options, { hub: hub.server, certificateAuthority })
    if (!inCluster && hasTarget(options))
      throw new CommandFailed('--target-kubeconfig and --target-context need --image')
    if (!inCluster && hasKeys(options))
      throw new CommandFailed('keys need --image: without it, give them to keelson runner')
    if (inCluster && hasTarget(options)) await withTarget(options, env, target => requireSameDemands(target, inCluster))
    const token = randomBytes(32).toString('base64url')
    const objects: readonly KubernetesObject[] = [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: configMapRef.name, labels: managedBy },
        data: { provider: runnerProvider },
      },
      ...(found
        ? []
        : [
            {
              apiVersion,
              kind: clusterKind.kind,
              metadata: { namespace, name, labels: managedBy },
              spec: { kubeConfig: { configMapRef } },
            },
          ]),
      secretWithToken(runnerSecretRef({ namespace, name }), token, Date.now()),
    ]
    for (const object of objects) await hub.apply(object, { fieldManager: 'keelson-join', force: true, signal })
    if (inCluster) {
      const manifests = runnerManifests(inCluster, token)
      if (!hasTarget(options)) return void output.write(asYaml(manifests))
      await withTarget(options, env, async target => {
        const how = { fieldManager: 'keelson-join', force: true, signal: target.signal }
        for (const object of manifests) await target.cluster.apply(object, how)
      })
      return terminal.success(`the runner of Cluster ${namespace}/${name} is applied to its cluster`)
    }
    output.write(`${token}\n`)
    terminal.success(`start the runner within ${joinTokenMs / 60_000} minutes:`)
    terminal.print(`\n    keelson runner --hub ${hub.server} --cluster ${namespace}/${name} --join-token TOKEN\n`)
    terminal.print(`    units name it with spec: {kubeConfig: {configMapRef: {name: ${configMapRef.name}}}}\n`)
  })

/** A runner that demands signatures must not stop to do so because somebody joins it again. */
const requireSameDemands = async ({ cluster, signal }: HubAccess, inCluster: RunnerInCluster): Promise<void> => {
  const { namespace } = inCluster
  const ref = { group: 'apps', kind: 'Deployment', namespace, name: runnerName }
  const dropped = missingDemands(await cluster.get('apps/v1', ref, { signal }), inCluster)
  if (dropped.length > 0)
    throw new CommandFailed(
      `the runner in the cluster has ${dropped.join(' and ')}: give the keys again, or delete Deployment/${runnerName} in ${namespace} first to have it demand less`,
    )
}

const configMapOf = (cluster: KubernetesObject | undefined): { readonly name: string } | undefined => {
  const { kubeConfig } = (cluster?.spec ?? {}) as {
    readonly kubeConfig?: { readonly configMapRef?: { readonly name: string } }
  }
  return kubeConfig?.configMapRef
}
