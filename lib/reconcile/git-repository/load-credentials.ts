import type { Hub } from '../../hub/hub.ts'
import type { GitRepository } from '../../kinds/git-repository.ts'
import { type Secret, secretBytes } from '../../kinds/secret.ts'
import { BadCredentials, type GitCredentials, readCredentials } from '../../source/git/credentials.ts'
import { fetchFailed } from './halts.ts'

/** What spec.secretRef and the address hold to prove who we are. Halts when the Secret is missing or unusable. */
export const loadCredentials = async (
  hub: Pick<Hub, 'get'>,
  repository: GitRepository,
  url: URL,
): Promise<GitCredentials> => {
  const secret = await readSecret(hub, repository)
  try {
    return readCredentials(url, secret)
  } catch (error) {
    if (!(error instanceof BadCredentials)) throw error
    throw fetchFailed('AuthenticationFailed', `failed to configure authentication options: ${error.message}`)
  }
}

const readSecret = async (hub: Pick<Hub, 'get'>, { metadata, spec }: GitRepository) => {
  const bytes = new Map<string, Uint8Array>()
  if (!spec.secretRef) return bytes
  const { name } = spec.secretRef
  const namespace = metadata.namespace ?? ''
  const secret = await hub.get<Secret>({ group: '', kind: 'Secret', namespace, name })
  if (!secret) {
    // Flux's own words, repetition included.
    const failed = `failed to get secret '${namespace}/${name}'`
    throw fetchFailed('AuthenticationFailed', `${failed}: ${failed}: secrets "${name}" not found`)
  }
  for (const key of Object.keys(secret.data ?? {})) bytes.set(key, secretBytes(secret, key)!)
  if (bytes.get('githubAppID')?.length) {
    const message = `secretRef '${namespace}/${name}' has github app data but provider is not set to github`
    throw fetchFailed('InvalidProviderConfiguration', message)
  }
  return bytes
}
