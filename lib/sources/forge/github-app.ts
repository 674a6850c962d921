import { rsaKey, signedJwt } from '../../platform/cloud/signed-jwt.ts'
import { ForgeError } from './forge.ts'
import type { JsonApi } from './json-api.ts'

/** A GitHub App that is installed for an owner: by the number of the installation, or the owner's name. */
export interface GitHubApp {
  readonly appId: string
  readonly privateKey: string
  readonly installationId?: string
  readonly installationOwner?: string
}

/** How long an App's own token lasts; GitHub allows ten minutes, and clocks differ. Seconds. */
const lifetime = 9 * 60
const allowance = 60

/**
 * A token for the repositories of an App's installation, for an hour. `as` makes an API that carries a token; `now` is in ms
 * since the epoch. Fails with ForgeError; the key is not quoted.
 */
export const installationToken = async (
  app: GitHubApp,
  apiAddress: string,
  now: number,
  as: (authorization: string) => JsonApi,
): Promise<string> => {
  const key = rsaKey(app.privateKey)
  if (!key) throw new ForgeError("'githubAppPrivateKey' is no RSA private key in PEM")
  const issuedAt = Math.floor(now / 1_000) - allowance
  const claims = { iat: issuedAt, exp: issuedAt + lifetime, iss: app.appId }
  const api = as(`Bearer ${signedJwt(key, { alg: 'RS256' }, claims)}`)
  const installation = app.installationId ?? (await findInstallation(api, apiAddress, app.installationOwner ?? ''))
  const { body } = await api.post(
    new URL(`${apiAddress}/app/installations/${encodeURIComponent(installation)}/access_tokens`),
    {},
  )
  const { token } = (body ?? {}) as { readonly token?: unknown }
  if (typeof token !== 'string') throw new ForgeError('GitHub gave no token for the installation of the App')
  return token
}

/** Organisations answer at the address of users, too. */
const findInstallation = async (api: JsonApi, apiAddress: string, owner: string): Promise<string> => {
  const { body } = await api.get(new URL(`${apiAddress}/users/${encodeURIComponent(owner)}/installation`))
  const { id } = (body ?? {}) as { readonly id?: unknown }
  if (typeof id !== 'number') throw new ForgeError(`the App is not installed for '${owner}'`)
  return String(id)
}
