import { withoutChance } from '../engines/image-policy/commit-message.ts'
import type { FunctionMap } from '../engines/template/values/value.ts'
import { type KubernetesObject, refKey, refOf } from '../foundations/kinds/object.ts'
import { once } from '../foundations/rules/once.ts'
import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'
import { createReferences, type ReferenceReader } from '../hub/references/references.ts'
import type { Hub } from '../hub/store/hub.ts'
import type { Connections } from '../platform/http/connections.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import { imagePolicyReconciler } from '../reconcile/image-policy/image-policy.ts'
import { imageRepositoryReconciler } from '../reconcile/image-repository/image-repository.ts'
import { tagLists } from '../reconcile/image-repository/tag-lists.ts'
import { imageUpdateAutomationReconciler } from '../reconcile/image-update-automation/image-update-automation.ts'
import type { GitGates } from '../reconcile/image-update-automation/push-rules.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import type { PullRequestClient } from '../sources/forge/pull-requests/pull-request-client.ts'
import type { GitClient } from '../sources/git/git-client.ts'
import { gitLogin } from '../sources/git/git-login.ts'
import type { SshTransportOptions } from '../sources/git/ssh/ssh-transport.ts'
import type { GitTransport } from '../sources/git/transport.ts'
import { ociClient } from '../sources/oci/oci-client.ts'
import { composeCloudAccess } from './cloud-access.ts'
import { lastChecks } from './last-checks.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Loaded with the first message: they are as large as the rest. */
const messageFunctions = async (): Promise<FunctionMap> => {
  const [{ nameFunctions }, { certifier }] = await Promise.all([
    import('../engines/helm/name-functions.ts'),
    import('./certifier.ts'),
  ])
  return withoutChance(nameFunctions(certifier))
}

/** Loaded with the first pull request, for the same reason. */
const pullRequestsBy = async (connections: Connections): Promise<PullRequestClient> => {
  const { pullRequestClient } = await import('../sources/forge/pull-requests/pull-request-client.ts')
  return pullRequestClient(connections)
}

/** Loaded with the first run of an automation. */
const gitOver = async (connections: Connections): Promise<GitClient> => {
  const { gitClient } = await import('../sources/git/git-client.ts')
  return gitClient(connections, { ssh: sshOnDemand })
}

/** The same for repositories over SSH. */
const sshOnDemand = (options: SshTransportOptions): GitTransport => {
  const transport = once(async () => {
    const { sshTransport } = await import('../sources/git/ssh/ssh-transport.ts')
    return sshTransport(options)
  })
  return {
    stateless: false,
    greeting: async () => (await transport()).greeting(),
    request: async body => (await transport()).request(body),
    close: async () => (await transport()).close(),
  }
}

/** The reconcilers that scan images, choose their latest tags, and write them into git repositories. */
export const composeImages = (
  ports: Pick<
    Ports,
    'artifacts' | 'visits' | 'clock' | 'random' | 'log' | 'connections' | 'login' | 'identities' | 'accounts'
  > & {
    readonly openPgp: Pick<OpenPgp, 'sign'>
  },
  settings: Pick<
    CoreSettings,
    | 'noCrossNamespaceRefs'
    | 'requeueDependencyMs'
    | 'artifactCheckMs'
    | 'objectLevelWorkloadIdentity'
    | 'tokenIssuer'
    | keyof GitGates
  >,
  { hub, tokens }: { readonly hub: ReferenceReader & Pick<Hub, 'patch'>; readonly tokens?: ServiceAccountTokens },
): readonly Reconciler<KubernetesObject>[] => {
  const { clock, connections, artifacts } = ports
  const checks = lastChecks(ports)
  const images = {
    references: createReferences(hub),
    cloudAccess: composeCloudAccess({ ...ports, hub, ...(tokens && { tokens }) }, settings),
    oci: ociClient(clock, connections),
    tags: tagLists(artifacts),
    visitedAt: async (object: KubernetesObject) => (await checks([object])).get(refKey(refOf(object))),
    clock,
  }
  const automations = {
    ...images,
    ...{ hub, random: ports.random, log: ports.log },
    git: once(() => gitOver(connections)),
    pullRequests: () => pullRequestsBy(connections),
    login: gitLogin({ connections, clock }),
    openPgp: ports.openPgp,
    functions: once(messageFunctions),
  }
  return [
    imageRepositoryReconciler(
      images,
      settings.artifactCheckMs === undefined ? {} : { checkEveryMs: settings.artifactCheckMs },
    ),
    imagePolicyReconciler(images, settings),
    imageUpdateAutomationReconciler(automations, settings),
  ]
}
