/** Options of commands that make or delete what runs a runner in its cluster. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { emitJson } from '../engines/yaml/emit-json.ts'
import type { JsonValue } from '../engines/yaml/json-value.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { CommandFailed } from './command-failed.ts'
import { type HubAccess, type HubOptions, withHub } from './hub-access.ts'
import { type KeyOptions, readRunnerKeys, withKeyOptions } from './runner-keys.ts'
import type { RunnerInCluster } from './runner-manifests.ts'

export interface TargetOptions {
  readonly targetKubeconfig?: string
  readonly targetContext?: string
  readonly runnerNamespace: string
}

export interface ManifestOptions extends KeyOptions {
  readonly image?: string
  readonly hubUrl?: string
  readonly certificateAuthority?: string
  readonly intoNamespaces?: string
  readonly live?: boolean
  readonly liveUsers?: string
  readonly liveGroups?: string
  readonly runnerNamespace: string
}

const namespaceOption = (command: Command): Command =>
  command.option('--runner-namespace <name>', "the runner's namespace in its cluster", 'keelson-runner')

/** Adds the options that say which cluster the runner is for. */
export const withTargetOptions = (command: Command): Command =>
  namespaceOption(command)
    .option('--target-kubeconfig <file>', "access to the runner's cluster (default: the hub's kubeconfig)")
    .option('--target-context <name>', "context of the runner's cluster")

/** Adds the options of the manifests that run a runner in its cluster. */
export const withManifestOptions = (command: Command): Command =>
  withKeyOptions(command)
    .option('--image <image>', 'image of the runner: makes what runs it in its cluster')
    .option('--hub-url <url>', "address of the hub as the runner sees it (default: the kubeconfig's)")
    .option('--certificate-authority <file>', "authority of the hub's certificate, in PEM (default: the kubeconfig's)")
    .option('--into-namespaces <names>', 'namespaces that the runner may administer, and nothing else (default: all)')
    .option('--live', 'users of the hub may see objects, events and logs of the cluster, as far as it lets them')
    .option('--live-users <names>', 'with --into-namespaces: users whom the runner may impersonate for that')
    .option('--live-groups <names>', 'with --into-namespaces: groups that they may have, all of them')

/** The same for a command without access to that cluster, which only prints them. */
export const withManifestOptionsAlone = (command: Command): Command => namespaceOption(withManifestOptions(command))

/** Undefined without an image. `ofHub` is what the kubeconfig of the hub says. */
export const runnerInCluster = (
  cluster: string,
  { image, hubUrl, certificateAuthority, intoNamespaces, runnerNamespace, ...options }: ManifestOptions,
  ofHub: Partial<Pick<RunnerInCluster, 'hub' | 'certificateAuthority'>>,
): RunnerInCluster | undefined => {
  if (image === undefined) return undefined
  const hub = hubUrl ?? ofHub.hub
  if (hub === undefined || !/^https:\/\//.test(hub)) throw new CommandFailed('--hub-url must be an https URL')
  return {
    ...{ cluster, image, hub, namespace: runnerNamespace, ...readRunnerKeys(options) },
    certificateAuthority: certificateAuthority
      ? readFileSync(certificateAuthority, 'utf8')
      : ofHub.certificateAuthority,
    ...(intoNamespaces !== undefined && { into: namesIn(intoNamespaces) }),
    live: liveOf(options, intoNamespaces !== undefined),
  }
}

const namesIn = (list: string): readonly string[] => list.split(',').map(name => name.trim())

const liveOf = (
  { live = false, liveUsers, liveGroups }: Pick<ManifestOptions, 'live' | 'liveUsers' | 'liveGroups'>,
  isConfined: boolean,
): RunnerInCluster['live'] => {
  const names = [liveUsers, liveGroups].filter(list => list !== undefined)
  if (names.length > 0 && !isConfined)
    throw new CommandFailed(
      '--live-users and --live-groups need --into-namespaces: otherwise the runner may impersonate anyone',
    )
  if (live && isConfined && liveUsers === undefined)
    throw new CommandFailed('--live with --into-namespaces needs --live-users: whom the runner may impersonate')
  if (!live && names.length === 0) return undefined
  return { users: liveUsers ? namesIn(liveUsers) : [], groups: liveGroups ? namesIn(liveGroups) : [] }
}

/** Whether the options name the runner's cluster. */
export const hasTarget = ({ targetKubeconfig, targetContext }: TargetOptions): boolean =>
  targetKubeconfig !== undefined || targetContext !== undefined

/** Runs `work` with a client of the runner's cluster. */
export const withTarget = <T>(
  { targetKubeconfig, targetContext, ...options }: TargetOptions & HubOptions,
  env: NodeJS.ProcessEnv,
  work: (target: HubAccess) => Promise<T>,
): Promise<T> => {
  const { kubeconfig, context, timeout, namespace } = options
  const file = targetKubeconfig ?? kubeconfig
  const at = targetContext ?? (targetKubeconfig === undefined ? context : undefined)
  const access = { timeout, namespace, asGroup: [], ...(file && { kubeconfig: file }), ...(at && { context: at }) }
  return withHub(access, env, work)
}

/** A stream of YAML documents, which `kubectl apply -f -` reads. */
export const asYaml = (objects: readonly KubernetesObject[]): string =>
  objects.map(object => emitJson(object as unknown as JsonValue)).join('---\n')
