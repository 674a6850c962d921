/** The flags, width and precision between the percent sign and the verb. */
export interface Flags {
  plus?: boolean
  minus?: boolean
  sharp?: boolean
  space?: boolean
  zero?: boolean
  width?: number
  precision?: number
  /** The plus of %+v: structs print their field names. */
  isNamed?: boolean
}

/** Pads to the width, counted in characters. */
export const pad = (text: string, { width = 0, minus, zero }: Flags): string => {
  const missing = Math.max(0, width - [...text].length)
  return minus ? text + ' '.repeat(missing) : (zero ? '0' : ' ').repeat(missing) + text
}
