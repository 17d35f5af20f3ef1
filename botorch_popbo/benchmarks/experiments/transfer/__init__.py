"""Other tasks as sources: do good ones help, and are worthless ones harmless?"""
