import { decodeJwt } from 'jose'

const maxTokenLength = 64 * 1024

/** The issuer in the claims of a token, before they are verified. */
export const issuerOf = (token: string): string | undefined => {
  if (token.length > maxTokenLength || token.split('.').length !== 3) return undefined
  try {
    const { iss } = decodeJwt(token)
    return iss === 'accounts.google.com' ? 'https://accounts.google.com' : iss
  } catch {
    return undefined
  }
}
