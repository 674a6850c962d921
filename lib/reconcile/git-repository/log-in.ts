import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import { InvalidSecret, type SecretContent } from '../../platform/http/connection-secrets.ts'
import { ForgeError } from '../../sources/forge/forge.ts'
import { readForgeCredentials } from '../../sources/forge/forge-credentials.ts'
import type { GitCredentials } from '../../sources/git/credentials.ts'
import type { GitLogin } from '../../sources/git/git-login.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { type CloudAccessOf, FeatureGateDisabled } from '../source-artifact/cloud-access-of.ts'
import { fetchFailed, fetchStalled } from './halts.ts'

export interface LoginPorts {
  readonly login: GitLogin
  readonly cloudAccess: CloudAccessOf
}

/** Adds the login for spec.provider to the credentials: with a cloud or a forge. Halts if the login fails. */
export const logIn = async (
  repository: GitRepository,
  url: URL,
  credentials: GitCredentials,
  secret: SecretContent | undefined,
  ports: LoginPorts,
  pass: Pick<Pass<GitRepository>, 'signal'>,
): Promise<GitCredentials> => {
  const authorization = await authorize(repository, url, credentials, secret, ports, pass).catch(error => {
    pass.signal.throwIfAborted()
    if (error instanceof FeatureGateDisabled) throw fetchStalled('FeatureGateDisabled', error.message)
    if (!(error instanceof CloudError || error instanceof ForgeError || error instanceof InvalidSecret)) throw error
    throw fetchFailed('AuthenticationFailed', `failed to configure authentication options: ${error.message}`, error)
  })
  return authorization ? { ...credentials, authorization } : credentials
}

const authorize = async (
  repository: GitRepository,
  url: URL,
  { tls, proxy }: GitCredentials,
  secret: SecretContent | undefined,
  { login, cloudAccess }: LoginPorts,
  { signal }: Pick<Pass<GitRepository>, 'signal'>,
): Promise<string | undefined> => {
  const { provider } = repository.spec
  const connection = { tls, ...(proxy && { proxy }) }
  if (provider === 'aws') return login.aws(url, connection, (await cloudAccess(repository, provider)).aws)
  if (provider === 'azure') return login.azure(url, connection, (await cloudAccess(repository, provider)).azure)
  if (provider !== 'github') return undefined
  if (!secret?.data.get('githubAppID')?.length) {
    const message = 'secretRef with github app data must be specified when provider is set to github'
    throw fetchFailed('InvalidProviderConfiguration', message)
  }
  const app = readForgeCredentials(secret)
  if (app.type !== 'app') return undefined
  return login.gitHubApp(app.app, { apiAddress: app.apiAddress, ...connection, signal })
}
