import { CloudError } from '../../cloud/cloud-error.ts'
import type { GitRepository } from '../../kinds/git-repository.ts'
import { ForgeError } from '../../source/forge/forge.ts'
import { readForgeCredentials } from '../../source/forge/forge-credentials.ts'
import type { GitCredentials } from '../../source/git/credentials.ts'
import type { GitLogin } from '../../source/git/git-login.ts'
import { BadSecret, type SecretContent } from '../../source/http/connection-secrets.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { fetchFailed, fetchStalled } from './halts.ts'

/** What spec.provider adds to the credentials: a login with a cloud or a forge. Halts when there is none to be had. */
export const logIn = async (
  { spec }: GitRepository,
  url: URL,
  credentials: GitCredentials,
  secret: SecretContent | undefined,
  login: GitLogin,
  pass: Pass<GitRepository>,
): Promise<GitCredentials> => {
  const { provider = 'generic', serviceAccountName } = spec
  if (serviceAccountName && (provider === 'aws' || provider === 'azure')) {
    const gate =
      'to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller'
    throw fetchStalled('FeatureGateDisabled', gate)
  }
  const authorization = await authorize(provider, url, credentials, secret, login, pass).catch(error => {
    pass.signal.throwIfAborted()
    if (!(error instanceof CloudError || error instanceof ForgeError || error instanceof BadSecret)) throw error
    throw fetchFailed('AuthenticationFailed', `failed to configure authentication options: ${error.message}`, error)
  })
  return authorization ? { ...credentials, authorization } : credentials
}

const authorize = async (
  provider: NonNullable<GitRepository['spec']['provider']>,
  url: URL,
  { tls, proxy }: GitCredentials,
  secret: SecretContent | undefined,
  login: GitLogin,
  { signal }: Pass<GitRepository>,
): Promise<string | undefined> => {
  if (provider === 'aws') return login.aws(url)
  if (provider === 'azure') return login.azure(url)
  if (provider !== 'github') return undefined
  if (!secret?.data.get('githubAppID')?.length) {
    const message = 'secretRef with github app data must be specified when provider is set to github'
    throw fetchFailed('InvalidProviderConfiguration', message)
  }
  const app = readForgeCredentials(secret)
  if (app.type !== 'app') return undefined
  return login.gitHubApp(app.app, { apiAddress: app.apiAddress, tls, ...(proxy && { proxy }), signal })
}
