/**
 * The name of an object's inputs in templates when inputs are permuted: lower case, with separators as `_`, and only a-z, 0-9 and `_`
 * (RS-020 to RS-024).
 */
export const inputKey = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s\p{P}]/gu, '_')
    .replace(/[^a-z0-9_]/g, '')
    .split('_')
    .filter(word => word !== '')
    .join('_')
