import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { fetchStalled } from './halts.ts'

/** The repository's address. Halts when it is none, or when the spec asks for what is not there yet. */
export const requireSupported = ({ spec }: GitRepository): URL => {
  const url = URL.parse(spec.url)
  if (!url) throw fetchStalled('URLInvalid', `failed to parse url '${withoutUserInfo(spec.url)}'`)
  if (spec.provider === 'github' && !spec.secretRef) {
    const message = 'secretRef with github app data must be specified when provider is set to github'
    throw fetchStalled('InvalidProviderConfiguration', message)
  }
  return url
}

/** Of something that is no proper address, and may hold a password all the same. */
const withoutUserInfo = (address: string): string => address.replace(/\/\/.*@/, '//')
