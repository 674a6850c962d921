import {
  type ImageUpdateAutomation,
  pullRequestAnnotation,
  pullRequestSecretAnnotation,
} from '../../foundations/kinds/image-update-automation.ts'
import type { References } from '../../hub/references/references.ts'
import type { PullRequestOptions } from '../../sources/forge/pull-requests/pull-request-client.ts'
import { pullRequestForges } from '../../sources/forge/pull-requests/pull-requests.ts'
import { type GitCredentials, InvalidCredentials, readCredentials } from '../../sources/git/credentials.ts'
import { stalled, unusable } from './halts.ts'

/** A repository in a forge, and the branch that pull requests go into. */
export interface Proposal extends Omit<PullRequestOptions, 'signal'> {
  readonly base: string
}

interface Destination {
  readonly url: URL
  readonly credentials: GitCredentials
  /** What is checked out; empty if that is no branch. */
  readonly base: string
  readonly pushBranch: string
}

/** What the annotations of an automation want; undefined if it only pushes. Halts if they can't be followed. */
export const loadProposal = async (
  automation: ImageUpdateAutomation,
  { url, credentials, base, pushBranch }: Destination,
  { references }: { readonly references: References },
): Promise<Proposal | undefined> => {
  const { annotations = {} } = automation.metadata
  const wanted = annotations[pullRequestAnnotation]
  if (wanted === undefined) return undefined
  const invalid = (problem: string) =>
    stalled('InvalidSourceConfiguration', `annotation ${pullRequestAnnotation}: ${problem}`)
  const forge = pullRequestForges.find(name => name === wanted)
  if (!forge) throw invalid(`'${wanted}' is none of ${pullRequestForges.join(', ')}`)
  if (!base) throw invalid('spec.git.checkout.ref, or spec.ref of the GitRepository, must be a branch')
  if (base === pushBranch) throw invalid(`spec.git.push.branch must be another branch than '${base}'`)
  const { tls, proxy } = credentials
  const secret = annotations[pullRequestSecretAnnotation]
  const authorization = secret ? await loadToken(automation, secret, references) : credentials.authorization
  if (!authorization) {
    const instead = `name one in the annotation ${pullRequestSecretAnnotation}`
    throw unusable(`the Secret of the GitRepository has no token for the API of the forge: ${instead}`)
  }
  return { forge, url, base, authorization, ...(url.protocol !== 'ssh:' && { tls }), ...(proxy && { proxy }) }
}

/** `username` and `password`, or `bearerToken`, as for git over https. */
const loadToken = async (automation: ImageUpdateAutomation, name: string, references: References) => {
  const secret = await references.localSecret(automation, name)
  if (!secret) throw unusable(`could not find secret '${name}' of pull requests: secrets "${name}" not found`)
  try {
    return readCredentials(new URL('https://forge'), secret.data).authorization
  } catch (error) {
    if (!(error instanceof InvalidCredentials)) throw error
    throw unusable(`secret '${name}' of pull requests: ${error.message}`, error)
  }
}
