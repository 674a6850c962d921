const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** Formats bytes in powers of 1000 with four digits, as in Flux's messages: `1.531kB`. */
export const humanSize = (bytes: number): string => {
  let [size, unit] = [bytes, 0]
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${Number(size.toPrecision(4))}${units[unit]}`
}
