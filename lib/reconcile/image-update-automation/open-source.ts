import { type GitReference, type GitRepository, gitRepository } from '../../foundations/kinds/git-repository.ts'
import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import { AccessDenied, type CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import type { GitCredentials } from '../../sources/git/credentials.ts'
import type { SignCommit } from '../../sources/git/push/write-commit.ts'
import { loadCredentials } from '../git-repository/load-credentials.ts'
import type { LoginPorts } from '../git-repository/log-in.ts'
import { requireSupported } from '../git-repository/require-supported.ts'
import { Halt } from '../runtime/halt.ts'
import { stalled, unusable } from './halts.ts'
import { loadProposal, type Proposal } from './load-proposal.ts'
import { loadSigner, type SignerPorts } from './load-signer.ts'
import { type GitGates, type PushRules, pushRulesOf } from './push-rules.ts'

export interface OpenSourcePorts extends LoginPorts, SignerPorts {
  readonly references: References
}

/** The repository of an automation, what is checked out, and where commits go. */
export interface AutomationSource extends PushRules {
  readonly url: URL
  readonly credentials: GitCredentials
  readonly reference: GitReference
  readonly pushBranch: string
  readonly timeoutMs: number
  readonly sign: SignCommit | undefined
  /** Where pull requests are opened, if they are. */
  readonly proposal: Proposal | undefined
}

/** Settings of an operator. */
export interface AutomationSettings extends CrossNamespaceSettings, GitGates {}

/** Halts if something that the spec refers to is missing or forbidden. */
export const openSource = async (
  automation: ImageUpdateAutomation,
  ports: OpenSourcePorts,
  settings: AutomationSettings,
  signal: AbortSignal,
): Promise<AutomationSource> => {
  const { git } = automation.spec
  if (!git) {
    const message = "source kind 'GitRepository' necessitates field .spec.git: invalid source configuration"
    throw stalled('InvalidSourceConfiguration', message)
  }
  const repository = await requireRepository(automation, ports, settings)
  const reference = git.checkout?.ref ?? repository.spec.ref
  const pushBranch = git.push?.branch || reference?.branch
  if (!pushBranch)
    throw unusable(
      'push spec not provided, and cannot be inferred from .spec.git.checkout.ref or GitRepository .spec.ref',
    )
  const { url, credentials } = await requireAccess(repository, ports, signal)
  const rules = pushRulesOf(pushBranch, reference, settings)
  return {
    ...{ url, credentials, pushBranch, reference: reference ?? {} },
    ...rules,
    timeoutMs: timeoutOf(repository),
    sign: await loadSigner(automation, ports),
    proposal: await loadProposal(automation, { url, credentials, base: rules.base, pushBranch }, ports),
  }
}

const requireRepository = async (
  automation: ImageUpdateAutomation,
  { references }: OpenSourcePorts,
  settings: CrossNamespaceSettings,
): Promise<GitRepository> => {
  const { name, namespace } = automation.spec.sourceRef
  const place = { namespace: namespace || namespaceOf(automation), name }
  const found = await references
    .anywhere<GitRepository>(automation, gitRepository, place, settings)
    .catch((error: unknown) => {
      throw error instanceof AccessDenied ? stalled('AccessDenied', error.message) : error
    })
  if (found) return found
  const missing = `GitRepository.source.toolkit.fluxcd.io "${name}" not found`
  throw unusable(`referenced git repository does not exist: ${missing}`)
}

/** The Secrets are of the repository's own namespace. */
const requireAccess = async (repository: GitRepository, ports: OpenSourcePorts, signal: AbortSignal) => {
  const { secretRef } = repository.spec
  if (secretRef && !(await ports.references.localSecret(repository, secretRef.name))) {
    const secret = `${namespaceOf(repository)}/${secretRef.name}`
    throw unusable(`failed to get auth secret '${secret}': secrets "${secretRef.name}" not found`)
  }
  try {
    const url = requireSupported(repository)
    return { url, credentials: await loadCredentials(ports, repository, url, { signal }) }
  } catch (error) {
    if (!(error instanceof Halt)) throw error
    const { outcome } = error
    if (outcome.type === 'stalled' && outcome.reason === 'FeatureGateDisabled')
      throw stalled(outcome.reason, outcome.message)
    if (outcome.type === 'stalled' || ('reason' in outcome && outcome.reason === 'InvalidProviderConfiguration'))
      throw stalled('InvalidSourceConfiguration', `${error.message}: invalid source configuration`)
    throw unusable(error.message, error)
  }
}
