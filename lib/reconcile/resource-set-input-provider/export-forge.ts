import { adler32 } from '../../foundations/go/adler32.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { requireSecret } from '../../hub/references/require-secret.ts'
import { azureDevOpsResource } from '../../platform/cloud/azure/clouds.ts'
import { azureDevOps, requireDirectConnection, tokenDestination } from '../../platform/cloud/token-destination.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'
import type { ChangeRequest, ForgeProvider, GitRef } from '../../sources/forge/forge.ts'
import { ForgeError } from '../../sources/forge/forge.ts'
import type { ForgeSession, ForgeSessionOptions } from '../../sources/forge/forge-client.ts'
import { readForgeCredentials } from '../../sources/forge/forge-credentials.ts'
import type { InputProviderPorts } from './context.ts'
import { firstWanted, nameFilter, wantedTags } from './filter.ts'
import { loadTls } from './load-tls.ts'

/** What is exported from a repository. */
export type ForgeList = 'branches' | 'tags' | 'changeRequests' | 'environments'

/** Exports the branches, tags, change requests or environments of a forge's repository. */
export const exportForge = async (
  provider: ResourceSetInputProvider,
  forge: ForgeProvider,
  list: ForgeList,
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const url = URL.parse(provider.spec.url ?? '')
  if (!url) throw new Error(`spec.url: invalid URL '${provider.spec.url}'`)
  const connection = await loadTls(ports.references, provider)
  const access = await accessOf(provider, forge, url, connection, ports, signal)
  const session = await ports.forges.open({
    provider: forge,
    url,
    signal,
    ...connection,
    ...access,
  })
  try {
    return await exporters[list](provider, session)
  } finally {
    await session.close()
  }
}

const accessOf = async (
  provider: ResourceSetInputProvider,
  forge: ForgeProvider,
  url: URL,
  connection: ConnectionOptions,
  { references, cloudAccess }: InputProviderPorts,
  signal: AbortSignal,
): Promise<Pick<ForgeSessionOptions, 'credentials' | 'aws'>> => {
  const { secretRef } = provider.spec
  if (secretRef)
    return {
      credentials: readForgeCredentials(await requireSecret(references, provider, secretRef.name)),
    }
  if (forge === 'AWSCodeCommit') {
    requireDirectConnection('AWS', connection)
    const { aws } = await cloudAccess(provider, 'aws')
    return { ...(aws && { aws }) }
  }
  if (forge !== 'AzureDevOps') return {}
  const { azure } = await cloudAccess(provider, 'azure')
  if (!azure) return {}
  const destination = tokenDestination(azureDevOps, url, connection)
  const { token } = await azure({ resource: azureDevOpsResource, destination, signal })
  return { credentials: { type: 'bearer', token } }
}

type Exporter = (provider: ResourceSetInputProvider, session: ForgeSession) => Promise<readonly InputSet[]>

const exporters: Readonly<Record<ForgeList, Exporter>> = {
  async branches({ spec: { filter = {} } }, session) {
    const isWanted = nameFilter(filter, 'Branch')
    const found = await firstWanted(session.branches(isWanted), filter, ({ name }) => isWanted(name))
    return found.map(({ name, sha }) => ({ id: idOf(name), branch: name, sha }))
  },

  async tags({ spec: { filter = {} } }, session) {
    const tags = await Array.fromAsync<GitRef>(session.tags())
    const shaOf = new Map(tags.map(({ name, sha }) => [name, sha]))
    return wantedTags(filter, [...shaOf.keys()]).map(tag => ({ id: idOf(tag), tag, sha: shaOf.get(tag) }))
  },

  async changeRequests({ spec: { filter = {}, skip = {} }, status }, session) {
    const isWanted = nameFilter(filter, 'Branch')
    const hasLabels = ({ labels }: ChangeRequest) => (filter.labels ?? []).every(label => labels.includes(label))
    const found = await firstWanted(session.changeRequests(), filter, one => hasLabels(one) && isWanted(one.branch))
    const before = new Map((status?.exportedInputs ?? []).map(set => [set.id, set]))
    return found.flatMap<InputSet>(({ labels, ...set }) => {
      if (!isSkipped(labels, skip.labels)) return [set]
      const kept = before.get(set.id)
      return kept ? [kept] : []
    })
  },

  async environments({ spec: { filter = {} } }, session) {
    if (!session.environments) throw new ForgeError('the forge has no environments')
    const isWanted = nameFilter(filter, 'Environment')
    const found = await firstWanted(session.environments(), filter, ({ name }) => isWanted(name))
    return found.map(({ name, ...set }) => ({ ...set, title: name }))
  },
}

/** Whether a change request keeps its present inputs: it has one of the labels, or lacks one with the prefix `!` (RS-145). */
const isSkipped = (labels: readonly string[], skipped: readonly string[] = []): boolean =>
  skipped.some(label => (label.startsWith('!') ? !labels.includes(label.slice(1)) : labels.includes(label)))

const idOf = (name: string): string => String(adler32(name))
