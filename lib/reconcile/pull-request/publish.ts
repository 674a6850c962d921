import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type Provider, provider as providerKind } from '../../foundations/kinds/provider.ts'
import type { PullRequest } from '../../foundations/kinds/pull-request.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { References } from '../../hub/references/references.ts'
import type { Connections } from '../../platform/http/connections.ts'
import { type Http, withHttp } from '../../signals/notify/http.ts'
import { loadProviderAccess, type ProviderAccess, redactSecrets } from '../../signals/notify/provider-access.ts'
import { type CommentForm, commentFormOf, keepComment } from '../../signals/notify/senders/keep-comment.ts'
import {
  type CommitStatus,
  type CommitStatusType,
  commitStatusTypes,
  isCommitStatusType,
  setCommitStatus,
} from '../../signals/notify/senders/set-commit-status.ts'

export interface PublishPorts {
  readonly references: References
  readonly connections: Connections
}

/** Says in the forge what is planned. Fails with NotPublished. */
export interface Publisher {
  readonly form: CommentForm
  /** First line of the comment. */
  readonly marker: string
  setStatus(status: Pick<CommitStatus, 'commit' | 'state' | 'description'>): Promise<void>
  /** Resolves to the id of the comment. */
  comment(text: string, id: string | undefined): Promise<string>
}

/** The Provider does not do, or its server has refused. Contains no secret. */
export class NotPublished extends Error {
  /** Until the Provider changes. */
  readonly isTerminal: boolean
  constructor(message: string, { isTerminal = false } = {}) {
    super(message)
    this.name = 'NotPublished'
    this.isTerminal = isTerminal
  }
}

/** The forge of a pull request, through its Provider: that of another repository than `urls` must not comment. */
export const publisherOf = async (
  request: PullRequest,
  urls: readonly string[],
  { references, connections }: PublishPorts,
): Promise<Publisher> => {
  const { spec, metadata } = request
  const what = `Provider ${metadata.namespace}/${spec.provider}`
  const refuse = (why: string) => new NotPublished(`${what} ${why}`, { isTerminal: true })
  const provider = await references.local<Provider>(request, providerKind, spec.provider)
  if (!provider) throw refuse('does not exist')
  const { type } = provider.spec
  if (!isCommitStatusType(type)) throw refuse(`has the type ${type}: it must be one of ${commitStatusTypes.join(', ')}`)
  if (isSuspended(provider)) throw refuse('is suspended')
  const access = await loadProviderAccess(references, provider).catch(error => {
    throw new NotPublished(`${what}: ${errorMessage(error)}`)
  })
  if (!urls.some(url => isSameRepository(url, access.address)))
    throw refuse('is not of the repository of the pull request: its address must be that of the GitRepository')
  const send = <T>(work: (http: Http) => Promise<T>): Promise<T> =>
    withHttp(connections, access, work).catch(error => {
      throw new NotPublished(`${what}: ${redactSecrets(errorMessage(error), access)}`)
    })
  const context = `keelson/${metadata.namespace}/${spec.receiver}`
  return {
    form: commentFormOf(type),
    marker: `[keelson]: # (plan ${markOf(request)})`,
    setStatus: status => send(http => set(type, { ...status, context, name: context, genre: 'keelson' }, access, http)),
    comment: (text, id) =>
      send(http => keepComment(type, { number: spec.number, text, marker: markOf(request), id }, access, http)),
  }
}

const set = (type: CommitStatusType, status: CommitStatus, access: ProviderAccess, http: Http): Promise<void> =>
  setCommitStatus[type](status, access, http)

/** The same for all heads of a pull request, and another for each Receiver of each hub. */
const markOf = ({ metadata }: PullRequest): string => metadata.ownerReferences?.[0]?.uid ?? metadata.uid ?? ''

/** Git over SSH has another port or host name than the API in some forges: then only the path counts. */
const isSameRepository = (url: string, address: string): boolean => {
  const [one, other] = [url, address].map(text => repositoryAddress(text))
  if (one === other) return true
  const pathOf = (text: string) => text.slice(text.indexOf('/')).replace(/^\/(scm|v3)\//, '/')
  return /^ssh:/.test(url) && pathOf(one!) === pathOf(other!)
}
