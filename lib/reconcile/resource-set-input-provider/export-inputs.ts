import { adler32 } from '../../foundations/go/adler32.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type {
  InputProviderType,
  ResourceSetInputProvider,
} from '../../foundations/kinds/resource-set-input-provider.ts'
import { requireSecret } from '../../hub/references/require-secret.ts'
import { readServiceCredentials } from '../../sources/forge/external-service.ts'
import type { ForgeProvider } from '../../sources/forge/forge.ts'
import type { CloudProvider } from '../../sources/oci/cloud-login.ts'
import type { InputProviderPorts } from './context.ts'
import { exportArtifacts } from './export-artifacts.ts'
import { exportClusterObjects } from './export-cluster-objects.ts'
import { exportClusters } from './export-clusters.ts'
import { exportForge, type ForgeList } from './export-forge.ts'
import { exportOci } from './export-oci.ts'
import { limitOf } from './filter.ts'
import { loadTls } from './load-tls.ts'

type Exporter = (
  provider: ResourceSetInputProvider,
  ports: InputProviderPorts,
  signal: AbortSignal,
  /** Called for what could not be read, where the rest is exported. */
  warn: (message: string) => void,
) => Promise<readonly InputSet[]>

/** The input sets of a provider, merged over the default values (RS-146). Fails with errors of external servers or of the spec. */
export const exportInputs: Exporter = async (provider, ports, signal, warn) => {
  const { type, defaultValues = {} } = provider.spec
  const found = await exporters[type](provider, ports, signal, warn)
  return found.map(set => ({ ...defaultValues, ...set }))
}

/** A single constant set, with an id from the object's UID (RS-138). */
const fixed: Exporter = async ({ metadata }) => [{ id: String(adler32(metadata.uid ?? '')) }]

const forge =
  (name: ForgeProvider, list: ForgeList): Exporter =>
  (provider, ports, signal) =>
    exportForge(provider, name, list, ports, signal)

const registry =
  (cloud?: CloudProvider): Exporter =>
  (provider, ports, signal) =>
    exportOci(provider, cloud, ports, signal)

const externalService: Exporter = async (provider, { references, forges }, signal) => {
  const { url = '', secretRef, filter = {} } = provider.spec
  const credentials = secretRef && readServiceCredentials(await requireSecret(references, provider, secretRef.name))
  const inputs = await forges.readService({
    url: new URL(url),
    signal,
    ...(credentials && { credentials }),
    ...(await loadTls(references, provider)),
  })
  return inputs.slice(0, limitOf(filter))
}

const exporters: Readonly<Record<InputProviderType, Exporter>> = {
  Static: fixed,
  GitHubBranch: forge('GitHub', 'branches'),
  GitHubTag: forge('GitHub', 'tags'),
  GitHubPullRequest: forge('GitHub', 'changeRequests'),
  GitLabBranch: forge('GitLab', 'branches'),
  GitLabTag: forge('GitLab', 'tags'),
  GitLabMergeRequest: forge('GitLab', 'changeRequests'),
  GitLabEnvironment: forge('GitLab', 'environments'),
  AzureDevOpsBranch: forge('AzureDevOps', 'branches'),
  AzureDevOpsTag: forge('AzureDevOps', 'tags'),
  AzureDevOpsPullRequest: forge('AzureDevOps', 'changeRequests'),
  AWSCodeCommitBranch: forge('AWSCodeCommit', 'branches'),
  AWSCodeCommitTag: forge('AWSCodeCommit', 'tags'),
  AWSCodeCommitPullRequest: forge('AWSCodeCommit', 'changeRequests'),
  GiteaBranch: forge('Gitea', 'branches'),
  GiteaTag: forge('Gitea', 'tags'),
  GiteaPullRequest: forge('Gitea', 'changeRequests'),
  OCIArtifactTag: registry(),
  ACRArtifactTag: registry('azure'),
  ECRArtifactTag: registry('aws'),
  GARArtifactTag: registry('gcp'),
  ExternalService: externalService,
  ExternalArtifact: exportArtifacts,
  Clusters: exportClusters,
  ClusterObject: exportClusterObjects,
}
