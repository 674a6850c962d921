import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { fetchStalled } from './halts.ts'

/** Parses the repository's URL. Halts if it is invalid, or if the spec uses an unsupported feature. */
export const requireSupported = ({ spec }: GitRepository): URL => {
  const url = URL.parse(spec.url)
  if (!url) throw fetchStalled('URLInvalid', `failed to parse url '${withoutUserInfo(spec.url)}'`)
  if (spec.provider === 'github' && !spec.secretRef) {
    const message = 'secretRef with github app data must be specified when provider is set to github'
    throw fetchStalled('InvalidProviderConfiguration', message)
  }
  return url
}

/** For strings that are not valid URLs but may still contain a password. */
const withoutUserInfo = (address: string): string => address.replace(/\/\/.*@/, '//')
