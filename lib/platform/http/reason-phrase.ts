// Not by import: for that Node looks at all that the module exports, a whole second HTTP client of its own among it (40 ms and
// 13 MB), which nothing here uses.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** What a status is called, as `Not Found`; '' when it has no name. */
export const reasonPhrase = (status: number): string => STATUS_CODES[status] ?? ''
