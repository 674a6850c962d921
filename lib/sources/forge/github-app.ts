import { rsaKey, signedJwt } from '../../platform/cloud/signed-jwt.ts'
import { ForgeError } from './forge.ts'
import type { JsonApi } from './json-api.ts'

/** An installation of a GitHub App: identified by its number, or by the owner's name. */
export interface GitHubApp {
  readonly appId: string
  readonly privateKey: string
  readonly installationId?: string
  readonly installationOwner?: string
}

/** Lifetime of an App's own token, in seconds: GitHub allows ten minutes, and clocks differ. */
const lifetime = 9 * 60
const allowance = 60

/**
 * Requests a token for an App's installation, valid for an hour. `as` builds an API client with a token; `now` is in ms
 * since the epoch. Fails with ForgeError, which never quotes the key.
 */
export const installationToken = async (
  app: GitHubApp,
  apiAddress: string,
  now: number,
  as: (authorization: string) => JsonApi,
): Promise<string> => {
  const key = rsaKey(app.privateKey)
  if (!key) throw new ForgeError("'githubAppPrivateKey' is not an RSA private key in PEM format")
  const issuedAt = Math.floor(now / 1_000) - allowance
  const claims = { iat: issuedAt, exp: issuedAt + lifetime, iss: app.appId }
  const api = as(`Bearer ${signedJwt(key, { alg: 'RS256' }, claims)}`)
  const installation = app.installationId ?? (await findInstallation(api, apiAddress, app.installationOwner ?? ''))
  const { body } = await api.post(
    new URL(`${apiAddress}/app/installations/${encodeURIComponent(installation)}/access_tokens`),
    {},
  )
  const { token } = (body ?? {}) as { readonly token?: unknown }
  if (typeof token !== 'string') throw new ForgeError('GitHub returned no token for the installation of the App')
  return token
}

/** This address also works for organizations. */
const findInstallation = async (api: JsonApi, apiAddress: string, owner: string): Promise<string> => {
  const { body } = await api.get(new URL(`${apiAddress}/users/${encodeURIComponent(owner)}/installation`))
  const { id } = (body ?? {}) as { readonly id?: unknown }
  if (typeof id !== 'number') throw new ForgeError(`the App is not installed for '${owner}'`)
  return String(id)
}
