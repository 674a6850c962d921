import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import { InvalidSecret, type SecretContent } from '../../platform/http/connection-secrets.ts'
import { type GitCredentials, InvalidCredentials, readCredentials } from '../../sources/git/credentials.ts'
import { hasPassphrase } from '../../sources/git/ssh/private-key.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { loadProxy, MissingSecret } from '../source-artifact/load-connection.ts'
import { fetchFailed } from './halts.ts'
import { type LoginPorts, logIn } from './log-in.ts'

/** The credentials in spec.secretRef and the URL. Halts if the Secret is missing or invalid. */
export const loadCredentials = async (
  ports: LoginPorts & { readonly references: References },
  repository: GitRepository,
  url: URL,
  pass: Pick<Pass<GitRepository>, 'signal'>,
): Promise<GitCredentials> => {
  const { references } = ports
  const proxy = await loadProxy(references, repository, repository.spec.proxySecretRef).catch(error => {
    if (!(error instanceof InvalidSecret || error instanceof MissingSecret)) throw error
    throw fetchFailed('AuthenticationFailed', `failed to configure proxy options: ${error.message}`, error)
  })
  const secret = await loadOwnSecret(references, repository)
  try {
    const credentials = { ...readCredentials(url, secret?.data), ...proxy }
    requirePassphrase(credentials, repository)
    return await logIn(repository, url, credentials, secret, ports, pass)
  } catch (error) {
    if (!(error instanceof InvalidCredentials)) throw error
    throw fetchFailed('AuthenticationFailed', `failed to configure authentication options: ${error.message}`)
  }
}

const requirePassphrase = ({ ssh }: GitCredentials, { metadata, spec }: GitRepository): void => {
  if (!ssh || ssh.passphrase || !hasPassphrase(ssh.identity)) return
  const secret = `${metadata.namespace}/${spec.secretRef?.name}`
  const message = `SSH identity key is encrypted but no 'password' field was provided in the secret '${secret}'`
  throw fetchFailed('AuthenticationFailed', message)
}

const loadOwnSecret = async (references: References, repository: GitRepository): Promise<SecretContent | undefined> => {
  const { spec } = repository
  if (!spec.secretRef) return undefined
  const { name } = spec.secretRef
  const namespace = namespaceOf(repository)
  const secret = await references.localSecret(repository, name)
  if (!secret) {
    // Flux's own wording, including the repetition.
    const failed = `failed to get secret '${namespace}/${name}'`
    throw fetchFailed('AuthenticationFailed', `${failed}: ${failed}: secrets "${name}" not found`)
  }
  if (secret.data.get('githubAppID')?.length && (spec.provider || 'generic') === 'generic') {
    const message = `secretRef '${namespace}/${name}' has github app data but provider is not set to github`
    throw fetchFailed('InvalidProviderConfiguration', message)
  }
  return secret
}
