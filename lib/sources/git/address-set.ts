const MAX_ADDRESSES = 1000

/** A bounded set of addresses with a common property, such as servers that only support old protocols. */
export const addressSet = () => {
  const addresses = new Set<string>()
  return {
    has: (address: string) => addresses.has(address),
    set: (address: string, isTrue: boolean) => {
      if (!isTrue) addresses.delete(address)
      else if (addresses.size < MAX_ADDRESSES) addresses.add(address)
    },
  }
}
