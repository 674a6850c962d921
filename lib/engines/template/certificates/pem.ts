export interface PemBlock {
  /** `CERTIFICATE` */
  readonly label: string
  readonly bytes: Buffer
}

const block = /-----BEGIN ([^\n-]*)-----\r?\n([A-Za-z0-9+/=\s]*)-----END \1-----/

/** The first PEM block in a text, if any. */
export const readPem = (text: string): PemBlock | undefined => {
  const found = block.exec(text)
  return found ? { label: found[1]!, bytes: Buffer.from(found[2]!, 'base64') } : undefined
}

/** A PEM block (RFC 7468) as Go's encoding/pem writes it: lines of 64 characters, and a line break at the end. */
export const writePem = ({ label, bytes }: PemBlock): string => {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
