import { InvalidSecret, type SecretContent, secretText } from '../../platform/http/connection-secrets.ts'
import type { GitHubApp } from './github-app.ts'

/** The forge credentials in a Secret. */
export type ForgeCredentials =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'app'; readonly app: GitHubApp; readonly apiAddress?: string }

/**
 * Reads `username` and `password` (an access token), or a GitHub App: `githubAppID`, `githubAppPrivateKey`, and one of
 * `githubAppInstallationID` and `githubAppInstallationOwner`. Fails with InvalidSecret.
 */
export const readForgeCredentials = (secret: SecretContent): ForgeCredentials => {
  const text = (key: string) => secretText(secret, key).trim()
  const appId = text('githubAppID')
  if (!appId) {
    const token = text('password')
    if (!token) throw new InvalidSecret(`secret '${secret.name}': key 'password' not found`)
    return { type: 'token', token }
  }
  const privateKey = secretText(secret, 'githubAppPrivateKey')
  if (!privateKey) throw new InvalidSecret(`secret '${secret.name}': key 'githubAppPrivateKey' not found`)
  const [installationId, installationOwner] = [text('githubAppInstallationID'), text('githubAppInstallationOwner')]
  if (Boolean(installationId) === Boolean(installationOwner))
    throw new InvalidSecret(
      `secret '${secret.name}' must contain exactly one of 'githubAppInstallationID' and 'githubAppInstallationOwner'`,
    )
  const apiAddress = text('githubAppBaseURL').replace(/\/+$/, '')
  const owner = installationId ? { installationId } : { installationOwner }
  return { type: 'app', app: { appId, privateKey, ...owner }, ...(apiAddress && { apiAddress }) }
}
