/** What stands between the percent sign and the verb. */
export interface Flags {
  plus: boolean
  minus: boolean
  sharp: boolean
  space: boolean
  zero: boolean
  width: number | undefined
  precision: number | undefined
}

/** Filled up to the width, counted in characters. */
export const pad = (text: string, { width, minus, zero }: Flags): string => {
  if (width === undefined) return text
  const missing = width - [...text].length
  if (missing <= 0) return text
  if (minus) return text + ' '.repeat(missing)
  return (zero ? '0' : ' ').repeat(missing) + text
}
